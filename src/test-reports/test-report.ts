/** The reports of test runners during a gate, and what they mean for the gate. */
import { oneLine, plural, truncate } from '../base/text.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { CountedTests, TestTally } from '../protocol/contracts/gate-contract.ts';

/** One connection: a process that decides over tests, or one that runs a part of them. */
export type ReportSession = {
  readonly runner: string;
  /** A main process counts what its parts run, so the tests of a part are in no sum. */
  readonly isPart: boolean;
  /** How many tests the runner has collected; null: it does not report that. */
  readonly plan: number | null;
  readonly tally: TestTally;
  /** Names of tests that failed. They are for people and for comparing, and decide no verdict. */
  readonly failures: readonly string[];
  readonly hasEnded: boolean;
  /** It broke the protocol, so something other than the reporter has written. */
  readonly isForged: boolean;
};

export type ReportVerdict = {
  /** Undefined: no runner has reported anything. */
  readonly counted?: CountedTests;
  /** Why the gate is red whatever its exit code; empty: it is not. */
  readonly reds: readonly string[];
};

const NOTHING: TestTally = { passed: 0, failed: 0, skipped: 0 };
/** For the record, which has bounds. */
const FAILURES_MAX = 50;
const FAILURE_CHARS_MAX = 300;
const COUNT_MAX = 100_000_000;
const NAME = /^[a-z][a-z: ]{0,31}$/;

/** The first line of a connection. Undefined: it is no greeting of a reporter. */
export function openSession(line: string): ReportSession | undefined {
  const parsed = parseJson(line);
  const hello = isRecord(parsed) ? parsed['hello'] : undefined;
  if (!isRecord(hello)) return undefined;
  const { runner, part } = hello;
  if (typeof runner !== 'string' || !NAME.test(runner)) return undefined;
  return {
    runner,
    isPart: part === true,
    plan: null,
    tally: NOTHING,
    failures: [],
    hasEnded: false,
    isForged: false,
  };
}

/** The session after one more line of its connection. */
export function withLine(session: ReportSession, key: string, line: string): ReportSession {
  const parsed = parseJson(line);
  if (!isRecord(parsed) || parsed['key'] !== key) return { ...session, isForged: true };
  const { plan, counts, end, failure } = parsed;
  if (failure !== undefined) return withFailure(session, failure);
  const tally = tallyOf(end ?? counts ?? session.tally);
  if (tally === undefined || (plan !== undefined && !isCount(plan)))
    return { ...session, isForged: true };
  return {
    ...session,
    plan: plan ?? session.plan,
    tally: largest(session.tally, tally),
    hasEnded: session.hasEnded || end !== undefined,
  };
}

function withFailure(session: ReportSession, name: unknown): ReportSession {
  if (typeof name !== 'string') return { ...session, isForged: true };
  const { failures } = session;
  if (failures.length >= FAILURES_MAX) return session;
  return { ...session, failures: [...failures, truncate(oneLine(name), FAILURE_CHARS_MAX)] };
}

/** Each number only grows: a reported failure can't be taken back. */
function largest(one: TestTally, other: TestTally): TestTally {
  return {
    passed: Math.max(one.passed, other.passed),
    failed: Math.max(one.failed, other.failed),
    skipped: Math.max(one.skipped, other.skipped),
  };
}

function tallyOf(value: unknown): TestTally | undefined {
  if (!isRecord(value)) return undefined;
  const { passed, failed, skipped } = value;
  return isCount(passed) && isCount(failed) && isCount(skipped)
    ? { passed, failed, skipped }
    : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= COUNT_MAX;
}

/** `expected` are the runners that the gate's command is known to start. */
export function judgeReports(
  sessions: readonly ReportSession[],
  expected: readonly string[],
): ReportVerdict {
  const silent = expected.filter(
    (name) =>
      !sessions.some(({ runner, isPart, hasEnded }) => runner === name && !(isPart && hasEnded)),
  );
  const reds = [
    ...silent.map((name) => `${name} reported nothing, though the command starts it${WAY_OUT}`),
    ...sessions.flatMap(redsOf),
    ...sessions.filter((one) => expected.includes(one.runner) && isEmpty(one)).map(emptyWords),
  ];
  if (sessions.length === 0) return { reds };
  const whole = sessions.filter(({ isPart }) => !isPart);
  const deciding = whole.length === 0 ? sessions : whole;
  const counted = deciding.map(({ tally }) => tally).reduce(sum, NOTHING);
  const names = new Set(deciding.flatMap(({ failures }) => failures));
  const failing = [...names].toSorted().slice(0, FAILURES_MAX);
  const runners = [...new Set(sessions.map(({ runner }) => runner))].toSorted();
  return {
    counted: { ...counted, runners, ...(failing.length === 0 ? {} : { failing }) },
    reds: [...new Set(reds)].slice(0, REDS_MAX),
  };
}

const REDS_MAX = 5;

/** A version that our reporter does not know looks like this too, and no change to the work makes it green. */
const WAY_OUT = '; if its tests ran, set count: false for this gate';

/** Their reporter names the tests of every run, so a run without any has heard none of its hooks. */
const ALWAYS_PLANS: ReadonlySet<string> = new Set(['pytest']);

function isEmpty({ runner, plan, tally, hasEnded, isForged }: ReportSession): boolean {
  const isSilent = plan === null && tally.passed + tally.failed + tally.skipped === 0;
  return ALWAYS_PLANS.has(runner) && hasEnded && !isForged && isSilent;
}

function emptyWords({ runner }: ReportSession): string {
  return `${runner} ended without any test, though the command starts it${WAY_OUT}`;
}

function redsOf({ runner, plan, tally, hasEnded, isForged }: ReportSession): readonly string[] {
  if (isForged) return [`something other than the reporter of ${runner} wrote into its report`];
  const reported = tally.passed + tally.failed + tally.skipped;
  const of = plan === null ? '' : ` of ${plan}`;
  const so = `${reported}${of} ${(plan ?? reported) === 1 ? 'test' : 'tests'} reported`;
  const isUnheard = plan === null && reported === 0;
  if (!hasEnded) return [`the test run of ${runner} ended early: ${so}${isUnheard ? WAY_OUT : ''}`];
  if (tally.failed > 0) return [`${plural(tally.failed, 'test')} of ${runner} failed`];
  if (plan !== null && reported < plan) return [`${runner} left tests out: ${so}`];
  return [];
}

function sum(one: TestTally, other: TestTally): TestTally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}
