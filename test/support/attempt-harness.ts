/** Runs one attempt of a scripted agent, with everything that the engine would hold for it. */
import { join } from 'node:path';
import { PINNED_DEFAULTS } from './pinned-defaults.ts';
import type { ScriptedProgram } from '../../src/adapters/scripted/scripted-programs.ts';
import { attemptPerformer } from '../../src/execution/perform-attempt.ts';
import type { AttemptEnvironment } from '../../src/execution/environments/environment.ts';
import { unsandboxedEnvironment } from '../../src/execution/environments/environment.ts';
import type { PersonTerminals } from '../../src/execution/takeover/person-terminals.ts';
import type { OnActivity } from '../../src/execution/report-activity.ts';
import { defined } from '../../src/base/defined.ts';
import type { RunId } from '../../src/base/ids.ts';
import { commandKey } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import { ensurePrivateDir } from '../../src/host/files/atomic-files.ts';
import { readOutput } from '../../src/host/output/read-output.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../src/protocol/contracts/attempt-contract.ts';

type Wishes = Partial<AttemptInput> & {
  readonly agent?: AttemptInput['agent'];
  readonly clock?: ManualClock;
  readonly note?: () => Promise<void>;
  readonly briefs?: Readonly<Record<string, string>>;
  readonly onActivity?: OnActivity;
  readonly terminals?: PersonTerminals;
  readonly timeBudget?: AttemptEnvironment['timeBudget'];
  readonly receipts?: AttemptEnvironment['receipts'];
  readonly calls?: AttemptEnvironment['calls'];
};

type Attempt = AsyncDisposable & {
  /** Without the consequences of a failure and its details, which have their own tests. */
  readonly outcome: Promise<AttemptOutcome>;
  readonly whole: Promise<AttemptOutcome>;
  readonly cancel: AbortController;
  readonly kill: AbortController;
  readonly notes: readonly Record<string, Json>[];
  readonly stdout: () => Promise<string>;
};

/**
 * Each attempt has its own tag, because the end of an attempt kills every process with that tag.
 */
let begun = 0;

export function beginAttempt(dir: string, program: ScriptedProgram, options: Wishes = {}): Attempt {
  const cancel = new AbortController();
  const kill = new AbortController();
  const notes: Record<string, Json>[] = [];
  const { clock = systemClock, note, briefs = {}, onActivity, terminals, ...rest } = options;
  const { timeBudget, receipts, calls, ...input } = rest;
  begun += 1;
  const home = `perform-attempt-test:${process.pid}-${begun}`;
  const performer = attemptPerformer({
    clock,
    node: process.execPath,
    environmentFor: async (request, input) => ({
      ...unsandboxedEnvironment(request, input, {
        clock,
        env: { PATH: process.env['PATH'] ?? '' },
        tagOf: (run, key) => `${home}/${run}/${key}`,
      }),
      ...defined({ timeBudget, receipts, calls }),
    }),
    readSecrets: async () => ({}),
    outputDir: async () => {
      await ensurePrivateDir(join(dir, 'outputs'));
      return join(dir, 'outputs');
    },
    readBrief: async (hash) => briefs[hash] ?? '',
    ...defined({ onActivity, terminals }),
  });
  const { sandbox, gateway, budget, rules } = PINNED_DEFAULTS;
  const attemptInput: AttemptInput = {
    ...{ sandbox, gateway, budget, rules },
    agent: { id: `scripted:${program}`, cli: 'scripted', args: [], env: {} },
    prompt: 'do it',
    project: dir,
    number: 1,
    why: { kind: 'first' },
    resume: null,
    resumePrompt: null,
    graceMs: 60_000,
    deadlineMs: null,
    interruptionsMax: 3,
    outputBytesMax: 1_000_000,
    ...input,
  };
  const outcome = performer.perform(
    { run: 'a000000000' as RunId, key: commandKey('attempt-1'), input: { ...attemptInput } },
    {
      cancelSignal: cancel.signal,
      killSignal: kill.signal,
      note: note ?? (async (fact) => void notes.push({ ...fact })),
    },
  );
  const reported = outcome.then(withoutFailure);
  reported.catch(() => undefined); // the test may await it later
  return {
    outcome: reported,
    whole: outcome,
    cancel,
    kill,
    notes,
    [Symbol.asyncDispose]: async () => {
      cancel.abort();
      kill.abort();
      await outcome.catch(() => undefined);
    },
    stdout: () => readOutput(join(dir, 'outputs'), 'attempt-1-stdout'),
  };
}

function withoutFailure(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind === 'stopped') return outcome;
  const { session: _session, changed: _changed, usage: _usage, exit: _exit, ...reported } = outcome;
  if (reported.kind === 'completed') return reported;
  const { failure: _, ...rest } = reported;
  return rest;
}
