import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import { formatCall, callLines } from '../format/model-call.ts';
import { connectOwner } from '../connect-owner.ts';
import type { CommandEnding } from '../command-line.ts';

type Options = {
  readonly follow: boolean;
  readonly raw: boolean;
  readonly calls: boolean;
  readonly json: boolean;
};

export function addLogs(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('logs')
    .description("Show what a run's agents printed")
    .argument('<run>', 'the run')
    .option('-f, --follow', 'stay until the run ends', false)
    .option('--raw', 'as it came, control characters and all', false)
    .option('--calls', 'the recorded model calls instead, one a line; whole with --json', false)
    .option('--json', 'print one JSON object a piece: key, stream, text', false)
    .addHelpText(
      'after',
      '\nExamples:\n  supervisor logs d86c57e7ac --follow\n  supervisor logs d86c57e7ac --calls',
    )
    .action(async (id: string, { follow, raw, calls, json }: Options) => {
      await using connection = await connectOwner(context);
      const left = new AbortController();
      const forget = context.onInterrupt(() => left.abort());
      try {
        if (calls) {
          for await (const line of callLines(connection.client.calls(id, left.signal)))
            context.out(json ? `${line}\n` : formatCall(context, line));
          return finish(0);
        }
        for await (const chunk of connection.client.output(id, { follow }, left.signal)) {
          if (json) context.out(`${JSON.stringify(chunk)}\n`);
          else
            (chunk.stream === 'stderr' ? context.err : context.out)(
              raw ? chunk.text : printable(chunk.text),
            );
        }
        finish(0);
      } finally {
        forget();
      }
    });
}
