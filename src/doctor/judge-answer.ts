import type { FindingState } from '../protocol/views/diagnosis.ts';
import type { ProbeAnswer } from './machine-facts.ts';
import { findVersion, isAtLeast } from './version.ts';

export type ProbeJudgement = {
  readonly state: FindingState;
  readonly found: string | null;
  readonly note: string | null;
};

/** The oldest version that is accepted, and why an older one is not. */
export type ProbeRequirement = { readonly least: string; readonly because: string };

/** Judges the answer of a program to `--version`. */
export function judgeVersion(
  answer: ProbeAnswer,
  { least, because }: ProbeRequirement,
): ProbeJudgement {
  switch (answer.kind) {
    case 'absent':
      return { state: 'missing', found: null, note: null };
    case 'unanswered':
      return limited(answer.path, `it did not print its version within ${answer.afterMs / 1000} s`);
    case 'flooded':
      return limited(answer.path, 'its output for --version is too long');
    case 'ended': {
      if (!answer.ok) return { state: 'broken', found: answer.path, note: describeFailure(answer) };
      const version = findVersion(answer.stdout);
      if (version === undefined) return limited(answer.path, 'its output contains no version');
      if (!isAtLeast(version, least)) return limited(version, `older than ${least}: ${because}`);
      return { state: 'ok', found: version, note: null };
    }
  }
}

/** Why a trial failed, in one line. Undefined if it succeeded. */
export function describeTrialFailure(answer: ProbeAnswer): string | undefined {
  switch (answer.kind) {
    case 'absent':
      return 'the program is gone';
    case 'unanswered':
      return `it did not exit within ${answer.afterMs / 1000} s`;
    case 'flooded':
      return 'its output is too long';
    case 'ended':
      return answer.ok ? undefined : describeFailure(answer);
  }
}

const LINE_CHARS_MAX = 160;

function describeFailure({ how, stderr, stdout }: Extract<ProbeAnswer, { kind: 'ended' }>): string {
  const lines = (stderr.trim() === '' ? stdout : stderr).split('\n').map((line) => line.trim());
  const line = lines.find((text) => text !== '')?.slice(0, LINE_CHARS_MAX);
  return line === undefined ? how : `${how}: ${line}`;
}

function limited(found: string, note: string): ProbeJudgement {
  return { state: 'limited', found, note };
}
