/** Why an attempt or a turn started, in words. */
import { plural } from '../../base/text.ts';
import type { TurnCause } from '../../protocol/contracts/attempt-contract.ts';
import type { AttemptHistory } from './attempt-history.ts';
import { describePassedOver } from './passed-over.ts';

/** Empty: it is the first attempt. */
export function describeReason({
  why,
  isResumed,
}: Pick<AttemptHistory, 'why' | 'isResumed'>): string {
  switch (why.kind) {
    case 'switch':
      return [
        `next in the chain after ${why.from}${afterUnchanged(why.unchanged)}`,
        describePassedOver(why),
      ]
        .filter((words) => words !== '')
        .join('; ');
    case 'retry':
      return `retry ${why.nth} of ${why.of}`;
    case 'restart':
      return 'restarted after a crash';
    case 'interrupted':
      return 'repeated after an interruption';
    case 'cooled-down':
      return 'its cooldown had ended';
    case 'gate':
      return `to fix gate ${why.gate}${isResumed ? ' in the same conversation' : ''}`;
    case 'unattended':
      return 'with the instruction to decide by itself';
    case 'answered':
      return 'with the answer to its question';
    case 'cut-short':
      return 'to continue an answer that was cut for its length';
    case 'continued':
      return `continues its conversation of run ${why.run}`;
    case 'new-session':
      return 'in a new conversation, because the last one could not be resumed';
    case 'named':
      return 'named by a person who resumed the run';
    case 'message':
      return why.verb === 'interrupt' ? 'interrupted by a message' : 'with a message that waited';
    case 'takeover':
      return why.shell === true ? 'a person opened a shell' : 'a person took it over';
    case 'handed-back':
      return 'handed back by a person';
    case 'turn':
      return CAUSES[why.cause];
    case 'first':
      return describePassedOver(why);
  }
}

function afterUnchanged(count: number | undefined): string {
  return count === undefined ? '' : `, which changed no file in ${plural(count, 'attempt')}`;
}

/** Why a long-lived agent had another turn. */
const CAUSES: Readonly<Record<TurnCause, string>> = {
  first: '',
  restarted: 'after a restart',
  interrupted: 'after an interruption',
  message: 'it received a message',
  queue: 'the next item of its queue',
  continue: 'it had not reported that it is done',
};
