/** The last scene: a long-lived agent crashes, its supervisor restarts it, and a check proves that it is done. */
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { printable } from '../cli-context.ts';
import type { DemoEnvironment } from './demo-environment.ts';
import { narrateEvent } from './narrate.ts';
import type { Narration } from './narrate.ts';

export type PrintLine = (who: string, style: Narration[0], text: string) => void;

const WHAT = 'there is a diary';
const CHECK = 'test -s TURNS.md';

/** Plays the scene to its end. Resolves with true if it ended as expected. */
export async function playAgentScene(
  environment: DemoEnvironment,
  client: Client,
  print: PrintLine,
): Promise<boolean> {
  const { run, name, kind } = await client.agents.spawn({
    assignment: 'Keep a diary.',
    project: environment.project,
    name: 'kit',
    kind: 'drone', // a drone is restarted once, without a delay
    agent: environment.longLivedAgent,
    commitments: [{ what: WHAT, command: CHECK }],
    unsafe: true, // the scripted agent is part of this package and needs no sandbox
  });
  const flags = `--name ${name} --kind ${kind} --commitment "${WHAT}=${CHECK}"`;
  print('you', 'bold', `supervisor spawn "Keep a diary." ${flags}`);
  let isProven = false;
  for await (const event of client.followRun(run, 0)) {
    const line = narrateLife(event);
    if (line !== undefined) print('owner', line[0], printable(line[1]));
    isProven = event.type === 'run.ended' && event.payload.outcome.kind === 'succeeded';
  }
  return isProven;
}

function narrateLife(event: RunEvent): Narration | undefined {
  if (event.type === 'signal.received' && event.payload.signal.kind === 'start-life') {
    const { life } = event.payload.signal;
    return life === 1
      ? ['dim', 'kit starts']
      : ['yellow', `its supervisor restarts kit: life ${life}`];
  }
  const line = event.type === 'command.begun' ? undefined : narrateEvent(event);
  return line === undefined ? undefined : [line[0], line[1].replace(/^attempt-/, 'turn ')];
}
