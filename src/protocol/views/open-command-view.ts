/** A command of a run that has begun and not ended, as screens and queries need it. */
import { z } from 'zod';
import type { Command, CommandBegun } from '../commands.ts';
import { WAIT_REASONS } from '../commands.ts';
import { ApprovalView, approvalView } from './approval-view.ts';

export const OpenCommandView = z.strictObject({
  key: z.string(),
  command: z.custom<Command>((value) => typeof value === 'string'),
  begunAt: z.number(),
  /** The question to a person, and the valid answers. None: any text is valid. */
  question: z.string().exactOptional(),
  choices: z.array(z.string()).exactOptional(),
  /** The run lacks a key that it was given before its owner ended. */
  about: z.literal('keys').exactOptional(),
  /** A step of a workflow waits for an approval of this. */
  approval: ApprovalView.exactOptional(),
  /** The gate that is red. The answer `accept` continues all the same. */
  redGate: z.string().exactOptional(),
  /** The content of the work that a person may change with `supervisor edit`, beside what they approve. */
  editable: z.string().exactOptional(),
  /** For a wait: its kind, the same in words, and its end. */
  waitReason: z.enum(WAIT_REASONS).exactOptional(),
  waitText: z.string().exactOptional(),
  waitUntil: z.number().exactOptional(),
  /** For a run that it started: the id of that run. */
  run: z.string().exactOptional(),
  /** For an attempt: a person has it in their terminal. */
  takenOver: z.literal(true).exactOptional(),
});

export function openDetails({
  command,
  input,
}: CommandBegun): Partial<z.infer<typeof OpenCommandView>> {
  if (command === 'wait') {
    const { reason, why, until } = input;
    return { waitReason: reason, waitText: why, waitUntil: until };
  }
  if (command === 'run') return { run: input.run };
  if (command === 'attempt') return input.why.kind === 'takeover' ? { takenOver: true } : {};
  if (command !== 'ask') return {};
  const { question, choices, about, approval, redGate, editable, until } = input;
  return {
    question,
    ...(choices !== undefined && { choices: [...choices] }),
    ...(about !== undefined && { about }),
    ...(redGate !== undefined && { redGate }),
    ...(editable !== undefined && { editable }),
    ...(approval !== undefined && { approval: approvalView(approval, until) }),
  };
}
