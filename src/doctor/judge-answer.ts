import type { FindingState } from '../protocol/views/diagnosis.ts';
import type { ProbeAnswer } from './machine-facts.ts';
import { findVersion, isAtLeast } from './version.ts';

export type ProbeJudgement = {
  readonly state: FindingState;
  readonly found: string | null;
  readonly note: string | null;
};

/** The oldest version that will do, and why an older one will not. */
export type ProbeRequirement = { readonly least: string; readonly because: string };

/** What a program's answer to "which version are you?" says of it. */
export function judgeVersion(
  answer: ProbeAnswer,
  { least, because }: ProbeRequirement,
): ProbeJudgement {
  switch (answer.kind) {
    case 'absent':
      return { state: 'missing', found: null, note: null };
    case 'unanswered':
      return limited(answer.path, `it did not say its version within ${answer.afterMs / 1000} s`);
    case 'flooded':
      return limited(answer.path, 'it was asked for its version and did not stop talking');
    case 'ended': {
      if (!answer.ok) return { state: 'broken', found: answer.path, note: saidAtTheEnd(answer) };
      const version = findVersion(answer.stdout);
      if (version === undefined) return limited(answer.path, 'its answer has no version in it');
      if (!isAtLeast(version, least)) return limited(version, `older than ${least}: ${because}`);
      return { state: 'ok', found: version, note: null };
    }
  }
}

/** Why a trial did not succeed, in one line, or undefined when it did. */
export function describeTrialFailure(answer: ProbeAnswer): string | undefined {
  switch (answer.kind) {
    case 'absent':
      return 'it is gone';
    case 'unanswered':
      return `it did not end within ${answer.afterMs / 1000} s`;
    case 'flooded':
      return 'it did not stop talking';
    case 'ended':
      return answer.ok ? undefined : saidAtTheEnd(answer);
  }
}

const SAID_CHARS_MAX = 160;

function saidAtTheEnd({ how, stderr, stdout }: Extract<ProbeAnswer, { kind: 'ended' }>): string {
  const lines = (stderr.trim() === '' ? stdout : stderr).split('\n').map((line) => line.trim());
  const said = lines.find((line) => line !== '')?.slice(0, SAID_CHARS_MAX);
  return said === undefined ? how : `${how}: ${said}`;
}

function limited(found: string, note: string): ProbeJudgement {
  return { state: 'limited', found, note };
}
