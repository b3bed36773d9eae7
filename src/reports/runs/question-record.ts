/** A question of a run to a person, in its history. */
import type { ApprovalView } from '../../protocol/views/approval-view.ts';
import { defined } from '../../base/defined.ts';
import type { Input } from '../../protocol/commands.ts';
import { withoutAdvice } from '../../protocol/views/answer-advice.ts';
import { approvalView } from '../../protocol/views/approval-view.ts';
import type { AttemptHistory } from './attempt-history.ts';

export type QuestionRecord = {
  readonly key: string;
  readonly question: string;
  /** The valid answers. Empty: any text is valid. */
  readonly choices: readonly string[];
  /** The run lacks a key. */
  readonly about?: 'keys';
  /** A step of a workflow waits for an approval of this. */
  readonly approval?: ApprovalView;
  /** The gate that is red. The answer `accept` continues all the same. */
  readonly redGate?: string;
  /** For a question about a spent budget: by how much `continue` raises it. */
  readonly raise?: NonNullable<AttemptHistory['raise']>;
  readonly askedAt: number;
  readonly answer: string | null;
  readonly endedAt: number | null;
};

/** `raise`: by how much the answer `continue` raises a budget. */
export function newQuestion(
  key: string,
  { question, choices = [], about, redGate, approval, until }: Input<'ask'>,
  askedAt: number,
  raise: AttemptHistory['raise'] | null,
): QuestionRecord {
  return {
    ...{ key, question, choices, askedAt, answer: null, endedAt: null },
    ...defined({ about, redGate }),
    ...(approval && { approval: approvalView(approval, until) }),
    ...(raise && { raise }),
  };
}

/** How a question ended. A person gives keys with `resume`, and types no answer. */
export function describeAnswer({ question, about, answer }: QuestionRecord): string {
  const lacked = withoutAdvice(question);
  if (answer === null) return `it asked: ${lacked}`;
  if (about === 'keys' && answer === 'retry')
    return `it was continued from a shell, after it had asked: ${lacked}`;
  return `a person answered ${JSON.stringify(answer)} to: ${lacked}`;
}
