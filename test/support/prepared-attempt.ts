/** Prepares an attempt of a scripted agent that never starts, for tests of one stage. */
import type { AttemptPorts, PreparedAttempt } from '../../src/execution/prepare-attempt.ts';
import { prepareAttempt } from '../../src/execution/prepare-attempt.ts';
import { unsandboxedEnvironment } from '../../src/execution/environments/environment.ts';
import type { RunId } from '../../src/base/ids.ts';
import { commandKey } from '../../src/base/ids.ts';
import type { AttemptInput, AttemptNote } from '../../src/protocol/contracts/attempt-contract.ts';
import { PINNED_DEFAULTS } from './pinned-defaults.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';

const { sandbox, gateway, budget, rules } = PINNED_DEFAULTS;

const INPUT: AttemptInput = {
  ...{ sandbox, gateway, budget, rules },
  agent: { id: 'scripted', cli: 'scripted', args: [], env: {} },
  prompt: 'do it',
  project: '/nowhere',
  number: 1,
  why: { kind: 'first' },
  resume: null,
  resumePrompt: null,
  graceMs: 1000,
  deadlineMs: null,
  interruptionsMax: 3,
  outputBytesMax: 1000,
};

const clock = new ManualClock();

export const ATTEMPT_REQUEST = {
  run: 'a000000000' as RunId,
  key: commandKey('attempt-1'),
  input: INPUT,
};

export const ATTEMPT_PORTS: AttemptPorts = {
  clock,
  node: 'node',
  environmentFor: async (request, input) =>
    unsandboxedEnvironment(request, input, { clock, env: {}, tagOf: () => 'tag' }),
  outputDir: async () => '/nowhere',
  readSecrets: async () => ({}),
  readBrief: async () => '',
};

export async function preparedAttempt(
  change: Partial<AttemptInput> = {},
): Promise<{ readonly attempt: PreparedAttempt; readonly notes: readonly AttemptNote[] }> {
  const notes: AttemptNote[] = [];
  const { signal } = new AbortController();
  const attempt = await prepareAttempt(
    { ...ATTEMPT_REQUEST, input: { ...INPUT, ...change } },
    {
      cancelSignal: signal,
      killSignal: signal,
      note: async (note) => void notes.push(note),
    },
    ATTEMPT_PORTS,
  );
  if (attempt.kind === 'failed') throw new Error(attempt.message);
  if (attempt.kind === 'stopped') throw new Error('the attempt was stopped');
  return { attempt, notes };
}
