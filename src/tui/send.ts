/** Sends what a person asked for. */
import { isRefusal } from '../base/errors.ts';
import { plural } from '../base/text.ts';
import type { Client } from '../client/client.ts';
import type { Request } from './effect.ts';

/** What the screen asks the owner. */
export type TopClient = Pick<Client, 'why' | 'diff' | 'signal' | 'decide' | 'answer' | 'tell'> & {
  readonly agents: Pick<Client['agents'], 'send' | 'dismiss'>;
  readonly machine: Pick<Client['machine'], 'followBoard' | 'followTree'>;
};

/** What became of it, in words, if that is more than that it is done. */
export async function send(client: TopClient, request: Request): Promise<string | undefined> {
  switch (request.kind) {
    case 'signals':
      return signalAll(client, request);
    case 'signal':
      await client.signal(request.run, { kind: request.signal });
      return undefined;
    case 'decide':
      await client.decide(request.run, request.request);
      return undefined;
    case 'answer':
      await client.answer(request.run, { key: request.key, choice: request.choice });
      return undefined;
    case 'tell':
      await client.tell(request.run, request.request);
      return undefined;
    case 'send':
      await client.agents.send(request.agent, request.text);
      return undefined;
    case 'dismiss':
      await client.agents.dismiss(request.agent);
      return undefined;
  }
}

const PROBLEMS_MAX = 2;

/** A run that refuses keeps no other from its instruction. */
async function signalAll(
  client: Pick<TopClient, 'signal'>,
  { runs, signal }: Extract<Request, { kind: 'signals' }>,
): Promise<string> {
  const problems: string[] = [];
  for (const run of runs) {
    try {
      await client.signal(run, { kind: signal });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      problems.push(`${run}: ${error.data.message}`);
    }
  }
  const done = `${signal}: ${runs.length - problems.length} of ${plural(runs.length, 'run')}.`;
  return [done, ...problems.slice(0, PROBLEMS_MAX)].join(' ');
}
