/** The last scene: a long-lived agent crashes, its supervisor restarts it, and a check proves that it is done. */
import { shellWord } from '../../base/shell-words.ts';
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { printable } from '../cli-context.ts';
import type { DemoEnvironment } from './demo-environment.ts';
import { narrateEvent } from './narrate.ts';
import type { Narration } from './narrate.ts';

export type PrintLine = (who: string, style: Narration[0], text: string) => void;

const WHAT = 'there is a diary';
/** Node runs it, because a machine may lack every other program. */
const CHECK = "require('fs').readFileSync('TURNS.md')";

/** Plays the scene to its end. Resolves with true if it ended as expected. */
export async function playAgentScene(
  environment: DemoEnvironment,
  client: Client,
  print: PrintLine,
): Promise<boolean> {
  const command = [environment.context.node, '-e', CHECK].map(shellWord).join(' ');
  const { run, name, kind } = await client.agents.spawn({
    assignment: 'Keep a diary.',
    project: environment.project,
    name: 'kit',
    kind: 'drone', // a drone is restarted once, without a delay
    agent: environment.longLivedAgent,
    commitments: [{ what: WHAT, command }],
    unsafe: true, // the scripted agent is part of this package and needs no sandbox
  });
  const flags = `--name ${name} --kind ${kind} --commitment "${WHAT}=node -e …"`;
  print('you', 'bold', `supervisor spawn "Keep a diary." ${flags}`);
  let isProven = false;
  for await (const event of client.followRun(run, 0)) {
    const line = narrateLife(event);
    if (line !== undefined) print('owner', line[0], printable(line[1]));
    isProven = event.type === 'run.ended' && event.payload.outcome.kind === 'succeeded';
    if (event.type !== 'command.begun' || event.payload.command !== 'ask') continue;
    // A question is not in the story, and it would wait for ever.
    print('owner', 'red', printable(event.payload.input.question));
    await client.signal(run, { kind: 'stop' });
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
