/** One check of the work, run by us after the agent and out of its reach. */
import type { GateBasis, GateInput, GateOutcome } from '../protocol/gate-contract.ts';

/** In characters: enough for the last failures of a test run. */
export const GATE_TAIL_CHARS_MAX = 4000;

/** How a gate's process ended, in the words of a sandbox. */
export type GateEnd = {
  readonly exit:
    | { readonly kind: 'code'; readonly code: number }
    | { readonly kind: 'signal'; readonly signal: string }
    | { readonly kind: 'not-started'; readonly code: string; readonly message: string };
  readonly endedBy: 'itself' | 'us' | 'time-limit' | 'disk-limit' | 'disk-full';
  readonly oom: boolean;
};

/** What a shell says of a program that it can't find, or can't start. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

type Red = Extract<GateOutcome, { kind: 'failed' }>;

/** What the end of a gate means. `said` is the end of what it printed. */
export function judgeGate(
  { name, command, timeoutMs }: Pick<GateInput, 'name' | 'command' | 'timeoutMs'>,
  { exit, endedBy, oom }: GateEnd,
  said: string,
  basis: GateBasis,
  /** Why its tests make it red; empty: they do not. */
  reported: readonly string[] = [],
): GateOutcome {
  const red = (code: number | null, ...lines: readonly string[]): Red => ({
    kind: 'failed',
    name,
    exit: code,
    tail: tailOf([
      said.trimEnd(),
      ...(isSilent(said, lines) ? [silent(code)] : lines),
      ...wordsOf(basis),
    ]),
    ...basis,
  });
  const unable = (why: string): GateOutcome => ({ kind: 'unable', name, why });
  if (exit.kind === 'not-started') return unable(exit.message);
  switch (endedBy) {
    case 'us':
      return unable('it was called off');
    case 'time-limit': {
      const late = red(null, `ran past its ${Math.round(timeoutMs / 1000)} s`);
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
      const words = [`a program that ${command.join(' ')} needs ${what} (exit ${exit.code})`];
      const last = said.trim().split('\n').at(-1) ?? '';
      if (last !== '') words.push(last);
      return unable(
        tailOf([
          `${words.join(': ')}. See that it is installed for the whole machine, or is part of the project or its setup.`,
          ...wordsOf(basis),
        ]),
      );
    }
    default:
      return red(exit.code, ...(oom ? ['ran out of memory'] : []));
  }
}

/** A gate that was green by the base's definition, and what it said by the work's own. */
export function combineBaseAndWork(
  ofBase: Extract<GateOutcome, { readonly kind: 'passed' }>,
  ofWork: GateOutcome,
): GateOutcome {
  const changed = [...(ofBase.restored ?? []), ...(ofBase.tests ?? []).map(({ path }) => path)];
  const what = changed.length === 0 ? 'what checks it' : changed.join(', ');
  const words = `[supervisor] it passes by ${what} as before the work, and not as the work has it`;
  switch (ofWork.kind) {
    case 'passed':
      return ofBase;
    case 'failed':
      return { ...ofWork, ...basisOf(ofBase), tail: tailOf([ofWork.tail, words]) };
    case 'unable':
      return { ...ofWork, why: tailOf([ofWork.why, words]) };
  }
}

function basisOf({ tests, unprotected, accepted }: GateBasis): GateBasis {
  return {
    ...(tests === undefined ? {} : { tests }),
    ...(unprotected === undefined ? {} : { unprotected }),
    ...(accepted === undefined ? {} : { accepted }),
  };
}

/** Said to whoever reads the tail, which may be the next agent. */
function wordsOf({ restored = [], tests = [] }: GateBasis): readonly string[] {
  const lines: string[] = [];
  if (restored.length > 0)
    lines.push(
      `[supervisor] this check is defined by ${restored.join(', ')}: it was run as it was before the work began, not as the work has it`,
    );
  if (tests.length > 0)
    lines.push(
      `[supervisor] these tests were run as they were before the work began: ${tests.map(({ path }) => path).join(', ')}; make the work pass them, and leave them as they were unless the task is about them`,
    );
  return lines;
}

function isSilent(said: string, lines: readonly string[]): boolean {
  return said.trim() === '' && lines.length === 0;
}

/** An agent that is shown nothing would look for the fault in our report. */
function silent(code: number | null): string {
  const end = code === null ? '' : ` and ended with exit code ${code}`;
  return `[supervisor] this check printed nothing${end}`;
}

function tailOf(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join('\n');
  if (text.length <= GATE_TAIL_CHARS_MAX) return text;
  const cut = text.slice(-(GATE_TAIL_CHARS_MAX - 1));
  // Not through the middle of a character.
  return `…${(cut.charCodeAt(0) & 0xfc00) === 0xdc00 ? cut.slice(1) : cut}`;
}
