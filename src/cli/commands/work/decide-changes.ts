/** The commands with which a person decides about the work of a workflow: approvals, approve, comment. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { isRefusal, Refusal } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { OpenQuestion } from '../../../protocol/views/open-question.ts';
import { approvalsDocument } from '../../../public-json/approval-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import type { ShownApproval, WaitingApproval } from '../../format/approvals-text.ts';
import { formatApprovals } from '../../format/approvals-text.ts';
import { printJson } from '../../json/print-json.ts';
import { requireWorkFile } from '../../ask/comment-place.ts';
import { printDecided, readApproverSecret } from '../../ask/decide-change.ts';

type Options = KeyOption & { readonly json: boolean };
type ApproveOptions = Options & {
  readonly as?: string;
  readonly tree?: string;
  readonly secretStdin: boolean;
};
type CommentOptions = Options & { readonly file?: string; readonly line?: string };

export function addApprovals(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('approvals')
    .description('List the changes that wait for an approval, oldest first')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor approvals')
    .action(async ({ json }: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const waiting = (await client.inbox()).filter(isApproval);
      if (json) printJson(context, approvalsDocument(waiting));
      else context.out(formatApprovals(context, await withDetails(client, waiting)));
      finish(EXIT.ok);
    });
}

/** More of them are listed without the lines of each file. */
const DETAILED_MAX = 20;

/** What changed in each file, and how the steps went so far. */
function withDetails(
  client: Pick<Client, 'diff' | 'run'>,
  waiting: readonly WaitingApproval[],
): Promise<readonly ShownApproval[]> {
  return Promise.all(
    waiting.map(async (one, nth): Promise<ShownApproval> => {
      if (nth >= DETAILED_MAX) return one;
      const { workflow } = await client.run(one.run);
      const steps = (workflow?.steps ?? []).filter(({ id }) => id !== one.approval.step);
      if (one.approval.work === '') return { ...one, steps };
      try {
        return { ...one, steps, changes: (await client.diff(one.run)).files };
      } catch (error) {
        // The work may have moved or be gone by now. The names of its files are known without it.
        if (isRefusal(error)) return { ...one, steps };
        throw error;
      }
    }),
  );
}

function isApproval(question: OpenQuestion): question is WaitingApproval {
  return question.approval !== undefined;
}

export function addApprove(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('approve')
    .description('Approve the change that a workflow asks about')
    .argument('<run>', RUN_ARGUMENT)
    .option('--as <name>', 'the approver who decides; their secret is asked for')
    .option('--secret-stdin', 'read the secret of the approver from standard input', false)
    .option(
      '--tree <hash>',
      'approve only if the work still has this hash, as approvals shows it (7 or more characters)',
    )
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', APPROVE_HELP)
    .action(async (reference: string, options: ApproveOptions) => {
      const secret = await readApproverSecret(context, options);
      await using connection = await connectOwner(context);
      const { client } = connection;
      const id = await findRunToChange(context, client, reference);
      const more = defined({ as: options.as, secret, work: options.tree });
      const request = { decision: 'approve', channel: 'terminal', ...more } as const;
      printDecided(context, await client.decide(id, request, options.idempotencyKey), options);
      finish(EXIT.ok);
    });
}

const APPROVE_HELP = `
A change of high or critical risk needs a named approver and their secret. One of critical risk needs several people.
An approval counts for exactly the work that was shown. If the work changes, it is asked about again.

Examples:
  supervisor approve d86c57e7ac
  supervisor approve d86c57e7ac --as ada --tree 3f2a9c1`;

export function addComment(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('comment')
    .description('Send the work of a workflow back, with what has to change')
    .argument('<run>', RUN_ARGUMENT)
    .argument('<text...>', 'what has to change; - reads it from standard input')
    .option('--file <path>', 'the file that the comment is about')
    .option('--line <number>', 'the line of that file')
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  supervisor comment d86c57e7ac --file src/cart.js --line 7 "name it sum"',
    )
    .action(async (reference: string, words: readonly string[], options: CommentOptions) => {
      const given = words.join(' ');
      const text = placed(given === '-' ? await context.stdin() : given, options);
      await using connection = await connectOwner(context);
      const { client } = connection;
      const id = await findRunToChange(context, client, reference);
      if (options.file !== undefined) await requireWorkFile(client, id, options.file);
      const request = { decision: 'send-back', text, channel: 'terminal' } as const;
      printDecided(context, await client.decide(id, request, options.idempotencyKey), options);
      finish(EXIT.ok);
    });
}

const ID_PREFIX_MIN = 4;

/** Rejects the change of a workflow. False: no such run waits for an approval. */
export async function rejectChange(
  context: CliContext,
  client: Client,
  id: string,
  text: string,
  options: Options,
): Promise<boolean> {
  const waiting = (await client.inbox()).filter(isApproval);
  const word = id.toLowerCase();
  const wanted = word === 'last' ? await findRunToChange(context, client, word) : word;
  const found = waiting.filter(
    ({ run }) => run === wanted || (wanted.length >= ID_PREFIX_MIN && run.startsWith(wanted)),
  );
  const [change] = found;
  if (change === undefined || found.length > 1) return false;
  const request = { decision: 'reject', text, channel: 'terminal' } as const;
  printDecided(context, await client.decide(change.run, request, options.idempotencyKey), options);
  return true;
}

/** If no agent has that name: a run of that id has nothing to reject. Otherwise the error itself. */
export async function explainRejection(
  context: CliContext,
  client: Client,
  id: string,
  error: unknown,
): Promise<unknown> {
  if (!isRefusal(error, 'agent.not-found')) return error;
  const run = await findRunToChange(context, client, id).then(
    (found) => client.run(found).then(() => found),
    () => undefined,
  );
  // Most references name neither, and then the first error says it best.
  if (run === undefined) return error;
  return new Refusal({
    code: 'run.asks-nothing',
    message: `Run ${run} does not wait for an approval, so there is nothing to reject.`,
    hint: 'See what does with: supervisor approvals',
  });
}

/** Such as `src/cart.js:7: name it sum`. */
function placed(text: string, { file, line }: CommentOptions): string {
  if (line !== undefined && !/^[1-9]\d{0,8}$/.test(line))
    throw new Refusal({
      code: 'usage.invalid',
      message: `--line must be a line number from 1, not ${JSON.stringify(line)}.`,
    });
  if (file === undefined && line !== undefined)
    throw new Refusal({
      code: 'usage.invalid',
      message: '--line needs --file.',
      hint: 'Name the file too: --file src/cart.js --line 7',
    });
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return place === '' || text.trim() === '' ? text : `${place}: ${text}`;
}
