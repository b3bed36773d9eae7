import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { ApplyRequest } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { commitWithCare } from './commit-with-care.ts';

const MESSAGE = 'The work changes files that run by themselves (.envrc). Nothing was applied.';

/** A task whose work has a file that runs by itself, and a person who answers each question like this. */
async function commit(
  answer: boolean | undefined,
  options: { json?: boolean; yes?: boolean } = {},
) {
  const shown: string[] = [];
  const requests: ApplyRequest[] = [];
  const client = {
    apply: (_: string, request: ApplyRequest) => {
      requests.push(request);
      if (request.includeExecuting === true) return Promise.resolve({});
      const details = { count: 1, flags: '--include-executing' };
      const refused = { code: 'workspace.needs-approval', message: MESSAGE, details } as const;
      return Promise.reject(new Refusal(refused));
    },
  } as unknown as Client;
  const context = {
    err: (text: string) => shown.push(text),
    terminal: { isTty: false, colour: false },
    env: {},
    ...(answer === undefined ? {} : { confirm: () => Promise.resolve(answer) }),
  } as unknown as CliContext;
  const request = { branch: 'ai/7' };
  const how = { json: false, yes: false, ...options };
  const end = await commitWithCare(context, client, 'a', request, how).then(
    () => 'committed',
    (error: Error & { data?: { hint?: string } }) => error.data?.hint ?? error.message,
  );
  return { end, shown: shown.join(''), included: requests.map((one) => one.includeExecuting) };
}

const HINT =
  'Review them with: supervisor diff a. Commit them too with: supervisor complete-task a --yes --include-executing';
const WARNING = `warning: ${MESSAGE}\n`;

const CASES: [
  why: string,
  answer: boolean | undefined,
  options: { json?: boolean; yes?: boolean },
  expected: Awaited<ReturnType<typeof commit>>,
][] = [
  [
    'is committed after a yes of its own',
    true,
    {},
    { end: 'committed', shown: WARNING, included: [undefined, true] },
  ],
  [
    'is not committed after a no',
    false,
    {},
    { end: 'Canceled. Nothing was committed.', shown: WARNING, included: [undefined] },
  ],
  [
    'is not covered by --yes, which names the flag',
    true,
    { yes: true },
    { end: HINT, shown: '', included: [undefined] },
  ],
  [
    'is refused without a person, with the command that commits it',
    undefined,
    {},
    { end: HINT, shown: '', included: [undefined] },
  ],
];

for (const [why, answer, options, expected] of CASES)
  test(`a file that runs by itself: ${why}`, async () =>
    assert.deepEqual(await commit(answer, options), expected));
