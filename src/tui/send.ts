/** Sends what a person asked for. */
import type { Client } from '../client/client.ts';
import type { Request } from './effect.ts';

/** What the screen asks the owner. */
export type TopClient = Pick<Client, 'why' | 'diff' | 'signal' | 'decide' | 'answer' | 'tell'> & {
  readonly agents: Pick<Client['agents'], 'send' | 'dismiss'>;
  readonly machine: Pick<Client['machine'], 'followBoard' | 'followTree'>;
};

export async function send(client: TopClient, request: Request): Promise<void> {
  switch (request.kind) {
    case 'signal':
      await client.signal(request.run, { kind: request.signal });
      return;
    case 'decide':
      await client.decide(request.run, request.request);
      return;
    case 'answer':
      await client.answer(request.run, { key: request.key, choice: request.choice });
      return;
    case 'tell':
      await client.tell(request.run, request.request);
      return;
    case 'send':
      await client.agents.send(request.agent, request.text);
      return;
    case 'dismiss':
      await client.agents.dismiss(request.agent);
  }
}
