/**
 * What an agent promises by itself: a line `COMMIT: {"what":"…","command":["…"]}` in the answer of a turn. It is
 * checked like what its parent asked for. An agent can add a commitment; nothing that it says takes one away.
 */
import { parseJson } from '../base/json.ts';
import { truncate } from '../base/text.ts';
import { ASSERTION_MS, OwnCommitment } from '../protocol/long-lived-agent.ts';
import type { Commitment } from './commitments.ts';

/** Each is a process of up to ten minutes, whenever the agent says that it is done. */
const OWN_MAX = 10;
const SHOWN_CHARS = 200;

export type AgentPromises = {
  readonly commitments: readonly Commitment[];
  /** Why a line was not taken, in a sentence for the agent's parent. */
  readonly refused: readonly string[];
};

/** The commitments with those that the lines of an answer add. The same promise twice is one. */
export function withOwnCommitments(
  commitments: readonly Commitment[],
  lines: readonly string[],
): AgentPromises {
  return lines.reduce<AgentPromises>(
    (promised, line) => {
      const read = OwnCommitment.safeParse(parseJson(line));
      if (!read.success) return refusing(promised, line, 'it is not {"what":"…","command":["…"]}');
      const { what: description, command: assertion } = read.data;
      const own: Commitment = {
        ...{ description, assertion, by: 'itself', timeoutMs: ASSERTION_MS },
        ...{ status: 'pending', failure: null },
      };
      if (promised.commitments.some((one) => isSame(one, own))) return promised;
      if (promised.commitments.filter(({ by }) => by === 'itself').length >= OWN_MAX)
        return refusing(promised, line, `it has made ${OWN_MAX} already`);
      return { ...promised, commitments: [...promised.commitments, own] };
    },
    { commitments, refused: [] },
  );
}

/** What it promised for one piece of work does not bind it for the next. */
export function withoutOwnCommitments(commitments: readonly Commitment[]): readonly Commitment[] {
  return commitments.filter(({ by }) => by !== 'itself');
}

function refusing(promised: AgentPromises, line: string, why: string): AgentPromises {
  const shown = truncate(line, SHOWN_CHARS);
  return {
    ...promised,
    refused: [...promised.refused, `this commitment was not taken, since ${why}: ${shown}`],
  };
}

function isSame(one: Commitment, other: Commitment): boolean {
  return (
    one.description === other.description &&
    JSON.stringify(one.assertion) === JSON.stringify(other.assertion)
  );
}
