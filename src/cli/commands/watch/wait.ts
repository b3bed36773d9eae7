import type { Command } from 'commander';
import type { Client } from '../../../client/client.ts';
import { isOwnerGone } from '../../../client/rejoin-owner.ts';
import type { OpenQuestion } from '../../../protocol/views/open-question.ts';
import { adviceToQuestion } from '../../../protocol/views/question-words.ts';
import { openQuestions } from '../../../protocol/views/questions-of-run.ts';
import { statusText } from '../../../protocol/views/run-status.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import type { RunStatusJson } from '../../../public-json/status-document.ts';
import { statusDocument } from '../../../public-json/status-document.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { OwnerConnection } from '../../connect-owner.ts';
import { connectOwner } from '../../connect-owner.ts';
import { LAST_RUN, RUNS_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { timeLimit } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { signalledRun } from '../../runs/signal-runs.ts';
import { statusDetails } from '../../runs/status-details.ts';
import { askedLines, askerWords } from '../../format/asked-lines.ts';
import { EndWaits } from '../../runs/end-waits.ts';
import type { CutOff, WaitResult } from '../../runs/wait-result.ts';
import { decideWait } from '../../runs/wait-result.ts';

type Options = {
  readonly any: boolean;
  readonly untilAsked: boolean;
  readonly timeout?: number;
  readonly json: boolean;
};

export function addWait(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('wait')
    .description('Wait until runs have ended, without showing what they do')
    .argument('[runs...]', RUNS_ARGUMENT, [LAST_RUN])
    .option('--any', 'return when one of the runs has ended', false)
    .option('--until-asked', 'also return when a run asks you something, with exit code 3', false)
    .option('--timeout <duration>', 'wait no longer than this, such as 30m', timeLimit)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (references: readonly string[], options: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const ids = await Promise.all(references.map((one) => findRun(context, client, one)));
      const begun = await Promise.all([...new Set(ids)].map((id) => client.run(id)));
      const { views, result } = await waitForRuns(context, connection, begun, options);
      if (options.json) {
        const error = await preciseError(client, result);
        const runs = await Promise.all(views.map((view) => describe(client, view)));
        printJson(context, { ...statusDocument(runs), error });
      } else {
        const shown = views.map((view) => asOwnerKnows(() => client.run(view.id), view));
        report(context, await Promise.all(shown), result);
      }
      finish(result.code);
    });
}

const HELP = `
The exit code is that of the run. Of several runs, the worst counts: 137 killed, 130 stopped, 1 failed, 0 done.
If they have not ended in time, it is 124. With Ctrl-C it is 130, and with SIGTERM 143. The runs continue then.
A run that asks you something, such as an approval, has not ended. The command says so on standard error, and waits.
With --until-asked it ends then, with exit code 3.

Examples:
  supervisor wait last
  supervisor wait 3f2a 9b01 --timeout 30m
  supervisor wait 3f2a 9b01 --any --json`;

async function waitForRuns(
  context: CliContext,
  connection: OwnerConnection,
  begun: readonly RunView[],
  { any, timeout, untilAsked }: Options,
): Promise<{ readonly views: readonly RunView[]; readonly result: WaitResult }> {
  const views = new Map(begun.map((view) => [view.id, view]));
  const decide = (cutOff?: CutOff): WaitResult | undefined =>
    decideWait([...views.values()], any, cutOff);
  const over = new AbortController();
  const decided = Promise.withResolvers<WaitResult>();
  const take = (result: WaitResult | undefined): void => {
    if (result === undefined) return;
    decided.resolve(result);
    over.abort();
  };
  const forget = context.onInterrupt((signal) => take(decide({ kind: 'signal', signal })));
  if (timeout !== undefined)
    void context.clock
      .sleep(timeout, over.signal)
      .then((isLate) => isLate && take(decide({ kind: 'timeout', afterMs: timeout })));
  take(decide());
  const ends = new EndWaits(connection);
  const told = new Set<string>();
  const onQuestion = (run: string, asked: OpenQuestion): void => {
    const cutOff = { asker: askerWords(run, asked), advice: adviceToQuestion(asked) };
    if (untilAsked) return take(decide({ kind: 'asked', ...cutOff }));
    const id = `${asked.run}/${asked.key}`;
    if (!told.has(id)) context.err(askedLines(context, run, asked));
    told.add(id);
  };
  const waits = begun.map(async (view) => {
    views.set(view.id, await ends.end(view, over.signal));
    take(decide());
  });
  const listens = begun.map(async (view) => {
    const { id, outcome } = view;
    if (outcome !== null) return;
    for (const asked of openQuestions(view)) onQuestion(id, asked);
    for await (const questions of ends.questions(id, over.signal))
      for (const asked of questions) onQuestion(id, asked);
  });
  try {
    // A wait that fails ends all of them. Those that are left end when `over` aborts.
    const result = await Promise.race([
      decided.promise,
      Promise.all([...waits, ...listens]).then(() => decided.promise),
    ]);
    return { views: [...views.values()], result };
  } finally {
    over.abort();
    forget();
    await Promise.allSettled([...waits, ...listens]);
  }
}

function report(
  context: CliContext,
  views: readonly RunView[],
  { error, worst }: WaitResult,
): void {
  for (const view of views) {
    const reason = view.outcome === null ? '' : `: ${view.outcome.reason}`;
    context.out(printable(`${view.id}  ${statusText(view)}${reason}\n`));
  }
  // The line of a run that ended badly says why.
  if (error === null || worst !== null) return;
  // What was asked for is no error.
  const mark = error.code === 'wait.asked' ? '' : `${paint(context, 'red', 'error:')} `;
  context.err(`${mark}${error.message}\n`);
  context.err(`${paint(context, 'dim', error.remedy ?? '')}\n`);
}

async function preciseError(
  client: Client,
  { error, worst }: WaitResult,
): Promise<ErrorFields | null> {
  if (worst === null) return error;
  return asOwnerKnows(async () => (await client.result(worst)).error ?? error, error);
}

function describe(client: Client, view: RunView): Promise<RunStatusJson> {
  return asOwnerKnows(
    async () => statusDetails(client, await client.statusOf(view.id)),
    signalledRun(view),
  );
}

/** `otherwise`: what is known here, if the owner has ended with the run. */
async function asOwnerKnows<Value>(read: () => Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await read();
  } catch (failed) {
    if (isOwnerGone(failed)) return otherwise;
    throw failed;
  }
}
