/** The last scene: an agent that lives long crashes, its supervisor restarts it, and a check says when it is done. */
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { printable } from '../cli-context.ts';
import type { DemoEnvironment } from './demo-environment.ts';
import { narrateEvent } from './narrate.ts';
import type { Narration } from './narrate.ts';

export type PrintLine = (who: string, style: Narration[0], words: string) => void;

const WHAT = 'there is a diary';
const CHECK = 'test -s TURNS.md';

/** Plays it to its end; resolves true when it ended as it should. */
export async function playAgentScene(
  environment: DemoEnvironment,
  client: Client,
  say: PrintLine,
): Promise<boolean> {
  const { run, name, kind } = await client.agents.spawn({
    assignment: 'Keep a diary.',
    project: environment.project,
    name: 'kit',
    kind: 'drone', // restarted once, and at once
    agent: environment.livesLong,
    commitments: [{ what: WHAT, command: CHECK }],
    unsafe: true, // a program of our own: it needs no walls
  });
  const flags = `--name ${name} --kind ${kind} --commit "${WHAT}=${CHECK}"`;
  say('you', 'bold', `supervisor spawn "Keep a diary." ${flags}`);
  let isProven = false;
  for await (const event of client.followRun(run, 0)) {
    const words = wordsOfLife(event);
    if (words !== undefined) say('owner', words[0], printable(words[1]));
    isProven = event.type === 'run.ended' && event.payload.outcome.kind === 'succeeded';
  }
  return isProven;
}

function wordsOfLife(event: RunEvent): Narration | undefined {
  if (event.type === 'signal.received' && event.payload.signal.kind === 'live') {
    const { life } = event.payload.signal;
    return life === 1
      ? ['dim', 'kit lives']
      : ['yellow', `its supervisor restarts it: life ${life}`];
  }
  const words = event.type === 'command.begun' ? undefined : narrateEvent(event);
  return words === undefined ? undefined : [words[0], words[1].replace(/^attempt-/, 'turn ')];
}
