/** An agent that could not start: its command ends at once, with the reason. */
import type { Backend } from '../../sandbox/policy.ts';
import type { RunningAgent } from './environment.ts';

export function notStarted(backend: Backend, code: string, message: string): RunningAgent {
  const exit = { kind: 'not-started', code, message } as const;
  return {
    pid: null,
    sandboxNote: { sandbox: backend },
    ended: Promise.resolve({ exit, container: null }),
    stop: async () => {},
    kill: async () => {},
  };
}
