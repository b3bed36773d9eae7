import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { addApprover } from '../../approvers/approver-store.ts';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { newRunId } from '../../base/ids.ts';
import { seededRandom } from '../../base/random.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import type { ApprovalDecision } from '../../protocol/approval.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { ApprovalView, DecideRequest } from '../../protocol/views/approval-view.ts';
import { decideApproval } from './decide-approval.ts';

const run = newRunId(seededRandom(1));
const WORK = '0123456789abcdef';
const EDITED = {
  ...{ run, tree: 1, commit: 'c0ffee', content: 'fedcba9876543210' },
  ...{ files: 1, added: 0, deleted: 0, names: ['a.ts'] },
};
const SECRET = 'a long enough secret';

function question(needs: Partial<NonNullable<ApprovalView['needs']>> | null): OpenQuestion {
  const subject = { step: 'review', work: WORK, files: 1, added: 0, deleted: 0, names: ['a.ts'] };
  const all = { tier: 'medium', reasons: [], peopleMin: 1, approvers: [], approvedBy: [] } as const;
  const lists = { reasons: [], approvers: [], approvedBy: [] };
  return {
    ...{ run, key: 'ask-review-1', task: 'a task', project: '/p', question: '?' },
    ...{ choices: ['approve', 'reject', 'send-back'], since: 0, over: null },
    ...{ parent: null, root: run, part: null },
    approval: needs === null ? subject : { ...subject, needs: { ...all, ...lists, ...needs } },
  };
}

/** What is sent to the run, or the code of the refusal. */
async function decide(
  open: readonly OpenQuestion[],
  request: DecideRequest,
): Promise<Signal | string> {
  await using home = await tempDir();
  await addApprover(home.path, { name: 'ada', groups: ['leads'], secret: SECRET }, at(0), false);
  const sent: Signal[] = [];
  try {
    await decideApproval(run, request, {
      home: home.path,
      now: () => at(0),
      questions: () => Promise.resolve(open),
      takeEdit: () => Promise.resolve(EDITED),
      signal: (_run, signal) => {
        sent.push(signal);
        return Promise.resolve();
      },
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    assert.deepEqual(sent, [], 'a refused decision is not sent');
    return error.data.code;
  }
  const [signal] = sent;
  assert.ok(signal !== undefined);
  return signal;
}

const HIGH = question({ tier: 'high', approvers: ['leads'] });
const asAda = { decision: 'approve', as: 'ada', secret: SECRET } as const;
const byUser: ApprovalDecision = { work: WORK, by: null, groups: [], channel: 'api' };

/** A question about trouble: it asks for no approval. */
const TROUBLE: OpenQuestion = {
  ...{ run, key: 'ask-check-1', task: 'a task', project: '/p', question: '?' },
  ...{ choices: ['continue', 'stop'], since: 0, over: null },
  ...{ parent: null, root: run, part: null },
};

describe('a decision about a change', () => {
  type Case = [
    why: string,
    open: readonly OpenQuestion[],
    request: DecideRequest,
    expected: Signal | string,
  ];
  const cases: Case[] = [
    [
      'is sent with the work that it is about',
      [question({})],
      { decision: 'approve' },
      { kind: 'answer', key: 'ask-review-1', answer: 'approve', decision: byUser },
    ],
    [
      'is sent if the person gives the beginning of the hash',
      [question({})],
      { decision: 'approve', work: WORK.slice(0, 7), channel: 'terminal' },
      {
        ...{ kind: 'answer', key: 'ask-review-1', answer: 'approve' },
        decision: { ...byUser, channel: 'terminal' },
      },
    ],
    [
      'to edit is sent to a question about trouble too',
      [TROUBLE, { ...TROUBLE, key: 'ask-check-2', editable: WORK }],
      { decision: 'edit' },
      {
        ...{ kind: 'answer', key: 'ask-check-2', answer: 'edit' },
        decision: { ...byUser, edited: EDITED },
      },
    ],
    [
      'to edit is refused if no step has changed a file',
      [TROUBLE],
      { decision: 'edit' },
      'run.asks-nothing',
    ],
    [
      'to approve is refused where nothing asks for an approval',
      [{ ...TROUBLE, editable: WORK }],
      { decision: 'approve' },
      'run.asks-nothing',
    ],
    [
      'about other work is refused',
      [question({})],
      { decision: 'approve', work: 'fedcba9' },
      'approval.work-moved',
    ],
    ...(['reject', 'send-back', 'edit'] as const).map((decision): Case => [
      `to ${decision} other work is refused`,
      [question({})],
      { decision, text: 'too risky', work: 'fedcba9' },
      'approval.work-moved',
    ]),
    [
      'of high risk is sent with the name and the groups of the approver',
      [HIGH],
      asAda,
      {
        ...{ kind: 'answer', key: 'ask-review-1', answer: 'approve' },
        decision: { ...byUser, by: 'ada', groups: ['leads'] },
      },
    ],
    [
      'of high risk is refused without a name',
      [HIGH],
      { decision: 'approve' },
      'approval.not-allowed',
    ],
    [
      'with a wrong secret is refused',
      [HIGH],
      { ...asAda, secret: 'guess' },
      'approver.wrong-secret',
    ],
    [
      'without a secret is refused',
      [HIGH],
      { decision: 'approve', as: 'ada' },
      'approver.wrong-secret',
    ],
    [
      'of a person who may not approve is refused',
      [question({ tier: 'critical', approvers: ['security'] })],
      asAda,
      'approval.not-allowed',
    ],
    [
      'to reject is sent with the reason, and needs no name',
      [HIGH],
      { decision: 'reject', text: ' too risky ' },
      { kind: 'answer', key: 'ask-review-1', answer: 'reject: too risky', decision: byUser },
    ],
    ['to reject needs a reason', [HIGH], { decision: 'reject', text: ' ' }, 'usage.invalid'],
    [
      'to send back is sent with what has to change',
      [question(null)],
      { decision: 'send-back', text: 'a.ts:3: name it' },
      {
        kind: 'answer',
        key: 'ask-review-1',
        answer: 'send-back: a.ts:3: name it',
        decision: byUser,
      },
    ],
    [
      'to edit is sent with what the person left, and with their name',
      [HIGH],
      { ...asAda, decision: 'edit' },
      {
        ...{ kind: 'answer', key: 'ask-review-1', answer: 'edit' },
        decision: { ...byUser, by: 'ada', groups: ['leads'], edited: EDITED },
      },
    ],
    ['is refused if nothing is asked', [], { decision: 'approve' }, 'run.asks-nothing'],
  ];
  for (const [why, open, request, expected] of cases)
    test(why, async () => assert.deepEqual(await decide(open, request), expected));
});
