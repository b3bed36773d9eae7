/** Judges a gate: a check of the work that Supervisor runs after the agent and out of its reach. */
import { defined } from '../../base/defined.ts';
import { shortList } from '../../base/text.ts';
import type {
  GateBasis,
  GateInput,
  GateOutcome,
  GateProof,
} from '../../protocol/contracts/gate-contract.ts';
import { describeRedGate } from '../../protocol/words/red-gate-words.ts';

/** In characters: enough for the last failures of a test run. */
export const GATE_TAIL_CHARS_MAX = 4000;

/** How the process of a gate ended, as the sandbox reports it. */
export type GateEnd = {
  readonly exit:
    | { readonly kind: 'code'; readonly code: number }
    | { readonly kind: 'signal'; readonly signal: string }
    | { readonly kind: 'not-started'; readonly code: string; readonly message: string };
  readonly endedBy: 'itself' | 'us' | 'time-limit' | 'disk-limit' | 'disk-full';
  readonly oom: boolean;
};

/** The exit codes of a shell that can't find or can't start a program. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** How our own script in the sandbox begins its lines, when it can't start the command. */
const ENTRY = /^supervisor-entry: (?:line )?\d+: (?:exec: )?/;

type Red = Extract<GateOutcome, { kind: 'failed' }>;

/** Turns the end of a gate into its outcome. `output` is the end of its output. */
export function judgeGate(
  { name, command, timeoutMs }: Pick<GateInput, 'name' | 'command' | 'timeoutMs'>,
  { exit, endedBy, oom }: GateEnd,
  output: string,
  basis: GateBasis,
  /** Why its test report makes it red. Empty: the report does not. */
  reported: readonly string[] = [],
): GateOutcome {
  const red = (code: number | null, ...lines: readonly string[]): Red => ({
    kind: 'failed',
    name,
    exit: code,
    tail: lastChars([
      output.trimEnd(),
      ...(isSilent(output, lines) ? [describeSilence(code)] : lines),
      ...describeBasis(basis),
    ]),
    ...basis,
  });
  const unable = (why: string): GateOutcome => ({ kind: 'unable', name, why });
  if (exit.kind === 'not-started') return unable(exit.message);
  switch (endedBy) {
    case 'us':
      return unable('it was cancelled');
    case 'time-limit': {
      const late = red(null, `ran longer than its limit of ${Math.round(timeoutMs / 1000)} s`);
      return { ...late, timedOut: true };
    }
    case 'disk-limit':
      return red(null, 'wrote more than the sandbox may hold');
    case 'disk-full':
      return unable('the disk of this machine is nearly full');
    case 'itself':
  }
  if (exit.kind === 'signal')
    return red(null, oom ? 'ran out of memory' : `was ended by ${exit.signal}`);
  switch (exit.code) {
    case 0: {
      if (reported.length === 0) return { kind: 'passed', name, ...basis };
      const lines = reported.map((why) => `[supervisor] it ended with exit code 0, but ${why}`);
      return { ...red(0, ...lines), reported };
    }
    case NOT_FOUND:
    case NOT_EXECUTABLE: {
      const what = exit.code === NOT_FOUND ? "isn't there" : "can't be executed";
      const details = [`a program that ${command.join(' ')} needs ${what} (exit ${exit.code})`];
      const last = (output.trim().split('\n').at(-1) ?? '').replace(ENTRY, '');
      if (last !== '') details.push(last);
      return unable(
        lastChars([
          `${details.join(': ')}. Install it for the whole machine, or add it to the project or its setup.`,
          ...describeBasis(basis),
        ]),
      );
    }
    default:
      return red(exit.code, ...(oom ? ['ran out of memory'] : []));
  }
}

/** A gate that is not run, because one that it depends on is red. */
export function skippedGate(name: string, skippedFor: string): GateOutcome {
  const why = `it was skipped, because gate ${skippedFor}, on which it depends, is red`;
  return { kind: 'unable', name, why, skippedFor };
}

/** A gate that is not run, because the work changes files that it protects. The run ends as blocked. */
export function blockedGate(name: string, basis: GateBasis, files: readonly string[]): GateOutcome {
  const why = `the work changes protected files: ${shortList(files, PROTECTED_SHOWN_MAX)}`;
  return { ...basis, kind: 'failed', name, exit: null, tail: why, reported: [why], blocks: true };
}

const PROTECTED_SHOWN_MAX = 10;

/** What the tests of the base say about the work. Tests that can't run on it have not proven it either. */
export function baseTestsBasis(outcome: GateOutcome): Pick<GateBasis, 'baseTestsRed'> {
  const { name } = outcome;
  switch (outcome.kind) {
    case 'passed':
      return {};
    case 'unable':
      return { baseTestsRed: describeRedGate({ name, kind: 'unable', output: outcome.why }) };
    case 'failed': {
      const { kind, tail: output, counted, reported } = outcome;
      return { baseTestsRed: describeRedGate({ name, kind, output, counted, reported }) };
    }
  }
}

/** A green gate after mutants were tried on it. `wanted` is its setting `prove`. */
export function withProof(
  green: Extract<GateOutcome, { readonly kind: 'passed' }>,
  proof: GateProof,
  wanted: 'report' | 'block',
): GateOutcome {
  if (proof.kind !== 'blind' || wanted === 'report') return { ...green, proof };
  const why = `no test notices a mutant of the changed lines: ${proof.missed.join('; ')}`;
  const tail = `[supervisor] it is green, but ${why}. Add tests that check the changed lines`;
  return { ...green, kind: 'failed', exit: 0, tail, reported: [why], proof };
}

/** Combines a gate that was green with the definition of the base and its result with the definition of the work. */
export function combineBaseAndWork(
  ofBase: Extract<GateOutcome, { readonly kind: 'passed' }>,
  ofWork: GateOutcome,
): GateOutcome {
  const changed = [...(ofBase.restored ?? []), ...(ofBase.tests ?? []).map(({ path }) => path)];
  const what = changed.length === 0 ? 'its definition' : changed.join(', ');
  const explanation = `[supervisor] this check passes with ${what} from before the work, but not with the version of the work`;
  switch (ofWork.kind) {
    case 'passed':
      return { ...ofBase, ...defined({ coverage: ofWork.coverage, work: ofWork.work }) };
    case 'failed':
      return { ...ofWork, ...storedBasis(ofBase), tail: lastChars([ofWork.tail, explanation]) };
    case 'unable':
      return { ...ofWork, why: lastChars([ofWork.why, explanation]) };
  }
}

function storedBasis({ tests, protectedFiles, unprotected, accepted }: GateBasis): GateBasis {
  return {
    ...(protectedFiles === undefined ? {} : { protectedFiles }),
    ...(tests === undefined ? {} : { tests }),
    ...(unprotected === undefined ? {} : { unprotected }),
    ...(accepted === undefined ? {} : { accepted }),
  };
}

/** Explains the basis of the gate in its tail, which the next agent may read. */
function describeBasis({ restored = [], tests = [] }: GateBasis): readonly string[] {
  const lines: string[] = [];
  if (restored.length > 0)
    lines.push(
      `[supervisor] this check is defined by ${restored.join(', ')}. Supervisor ran it with the version from before the work began, not with the version of the work`,
    );
  if (tests.length > 0)
    lines.push(
      `[supervisor] these tests were run as they were before the work began: ${tests.map(({ path }) => path).join(', ')}; make the work pass them, and leave them as they were unless the task is about them`,
    );
  return lines;
}

function isSilent(output: string, lines: readonly string[]): boolean {
  return output.trim() === '' && lines.length === 0;
}

/** Without this line, an agent would take the empty report for a bug of Supervisor. */
function describeSilence(code: number | null): string {
  const end = code === null ? '' : ` and ended with exit code ${code}`;
  return `[supervisor] this check printed nothing${end}`;
}

function lastChars(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join('\n');
  if (text.length <= GATE_TAIL_CHARS_MAX) return text;
  const cut = text.slice(-(GATE_TAIL_CHARS_MAX - 1));
  // The cut must not split a character.
  return `…${(cut.charCodeAt(0) & 0xfc00) === 0xdc00 ? cut.slice(1) : cut}`;
}
