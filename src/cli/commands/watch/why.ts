import type { Command } from 'commander';
import { formatClockTime, withLocalTimes } from '../../../base/format-time.ts';
import { describeApplied } from '../../../protocol/views/applied-view.ts';
import type { WhyView } from '../../../reports/runs/explain-run.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { shortStory } from '../../format/short-story.ts';
import { whyDocument } from '../../../public-json/reading-documents.ts';
import { printJson } from '../../json/print-json.ts';
import { describeUndelivered } from '../../../reports/runs/undelivered.ts';

type Options = { readonly json: boolean; readonly verbose: boolean };

export function addWhy(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('why')
    .description('Explain the state of a run, and what to do next')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('--verbose', 'show every cause with all of its evidence', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor why 0123456789')
    .action(async (reference: string, { json, verbose }: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference);
      const why = await client.why(run);
      if (json) printJson(context, whyDocument(why));
      else context.out(formatExplanation(context, why, verbose));
      finish(0);
    });
}

/** Each cause with its evidence below it. The last cause has the color of the run's state. */
function formatExplanation(context: CliContext, why: WhyView, verbose: boolean): string {
  const { run, state, applied, next } = why;
  const { chain, leftOut } = verbose ? { chain: why.chain, leftOut: 0 } : shortStory(why.chain);
  const now = context.clock.now();
  const lines = chain.flatMap(({ at, what, evidence }, index) => {
    const isLast = index === chain.length - 1;
    const when = formatClockTime(at, now);
    const cause = withLocalTimes(printable(what), now);
    return [
      `${paint(context, 'dim', when)}  ${isLast ? paint(context, chooseColour(state), cause) : cause}`,
      ...evidence.map(({ source, line, rule }) =>
        paint(
          context,
          'dim',
          `            ${printable(source)}: ${printable(line)} (${printable(rule)})`,
        ),
      ),
    ];
  });
  const more =
    leftOut === 0
      ? []
      : ['', paint(context, 'dim', `All causes and evidence: supervisor why ${run} --verbose`)];
  const after =
    applied === null
      ? []
      : ['', `${paint(context, 'bold', 'Work')}  ${printable(describeApplied(applied, now))}`];
  const missed = why.undelivered.map((one) =>
    paint(context, 'yellow', printable(describeUndelivered(one))),
  );
  const advice =
    next === null
      ? []
      : ['', `${paint(context, 'bold', 'Next')}  ${withLocalTimes(printable(next), now)}`];
  const head = `${paint(context, 'bold', `Run ${run}`)}  ${state}`;
  return [
    head,
    ...lines,
    ...more,
    ...after,
    ...(missed.length === 0 ? [] : ['', ...missed]),
    ...advice,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function chooseColour(state: string): 'green' | 'red' | 'yellow' {
  if (state === 'succeeded') return 'green';
  return ['failed', 'refused', 'exhausted', 'blocked'].includes(state) ? 'red' : 'yellow';
}
