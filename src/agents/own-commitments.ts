/**
 * The agent's own commitments: lines `COMMIT: {"what":"…","command":["…"]}` in the answer of a turn. They are
 * checked like those of its parent. An agent can add a commitment, and can't withdraw one.
 */
import { parseJson } from '../base/json.ts';
import { truncate } from '../base/text.ts';
import { ASSERTION_MS, OwnCommitment } from '../protocol/long-lived-agent.ts';
import type { Commitment } from './commitments.ts';

/** Each is a process of up to ten minutes, every time the agent reports that it is done. */
const OWN_MAX = 10;
const SHOWN_CHARS = 200;

export type AgentPromises = {
  readonly commitments: readonly Commitment[];
  /** Why a line was rejected, as a note to the agent's parent. */
  readonly refused: readonly string[];
};

/** Adds the commitments of an answer. A repeated commitment counts once. */
export function withOwnCommitments(
  commitments: readonly Commitment[],
  lines: readonly string[],
): AgentPromises {
  return lines.reduce<AgentPromises>(
    (result, line) => {
      const parsed = OwnCommitment.safeParse(parseJson(line));
      if (!parsed.success) return reject(result, line, 'it is not {"what":"…","command":["…"]}');
      const { what: description, command: assertion } = parsed.data;
      const own: Commitment = {
        ...{ description, assertion, by: 'itself', timeoutMs: ASSERTION_MS },
        ...{ status: 'pending', failure: null },
      };
      if (result.commitments.some((one) => isSame(one, own))) return result;
      if (result.commitments.filter(({ by }) => by === 'itself').length >= OWN_MAX)
        return reject(result, line, `the agent already has ${OWN_MAX} of its own`);
      return { ...result, commitments: [...result.commitments, own] };
    },
    { commitments, refused: [] },
  );
}

/** The agent's own commitments hold for one queue item only. */
export function withoutOwnCommitments(commitments: readonly Commitment[]): readonly Commitment[] {
  return commitments.filter(({ by }) => by !== 'itself');
}

function reject(result: AgentPromises, line: string, why: string): AgentPromises {
  const shown = truncate(line, SHOWN_CHARS);
  return {
    ...result,
    refused: [...result.refused, `this commitment was rejected because ${why}: ${shown}`],
  };
}

function isSame(one: Commitment, other: Commitment): boolean {
  return (
    one.description === other.description &&
    JSON.stringify(one.assertion) === JSON.stringify(other.assertion)
  );
}
