/** `supervisor top`: the dashboard of the terminal. It is drawn before the owner is asked, so it appears at once. */
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { RawTerminal } from '../../../host/output/raw-terminal.ts';
import { chooseLook } from '../../../tui/look.ts';
import type { TopPorts } from '../../../tui/top.ts';
import { runTop } from '../../../tui/top.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';

const SIGTERM_CODE = 143;

export function addTop(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('top')
    .description('Show all runs on the whole screen, live, and decide what they ask')
    .option(
      '--plain',
      'for a screen reader: only text that grows, with words instead of marks',
      false,
    )
    .addHelpText('after', HELP)
    .action(async ({ plain }: { readonly plain: boolean }) => {
      const { terminal, env } = context;
      const screen = new RawTerminal(process.stdin, process.stdout);
      requireScreen(context, plain);
      const look = chooseLook(env, { hasColour: terminal.colour, isPlain: plain });
      const ended = new AbortController();
      const forget = context.onInterrupt((signal) => {
        ended.abort(signal);
      });
      const hangUp = (): void => ended.abort();
      process.on('SIGHUP', hangUp);
      try {
        const ports: TopPorts = { screen, look, clock: context.clock, ...ownerPorts(context) };
        const code = await runTop(ports, ended.signal);
        finish(ended.signal.reason === 'SIGTERM' ? SIGTERM_CODE : code);
      } finally {
        forget();
        process.off('SIGHUP', hangUp);
      }
    });
}

const HELP = `
? shows the keys that work on the screen. Each action shows the command that does the same.

Examples:
  supervisor top
  NO_COLOR=1 supervisor top
  supervisor top --plain`;

/** The modules of the client load while the first frame is on the screen. */
function ownerPorts(context: CliContext): Pick<TopPorts, 'connect' | 'rejoin' | 'factText'> {
  let rejoin: (() => Promise<boolean>) | undefined;
  let format: { readonly eventText: TopPorts['factText'] } | undefined;
  return {
    connect: async () => {
      const [{ connectOwner, stateHome }, { rejoinOwner }, loaded] = await Promise.all([
        import('../../connect-owner.ts'),
        import('../../../client/rejoin-owner.ts'),
        import('../../format/event-line.ts'),
      ]);
      format = loaded;
      const { client, again } = await connectOwner(context, { creates: true });
      rejoin = again && (await rejoinOwner(stateHome(context), again));
      return client;
    },
    rejoin: async () => rejoin === undefined || (await rejoin()),
    factText: (event) => format?.eventText(event) ?? event.type,
  };
}

function requireScreen({ terminal, env }: CliContext, isPlain: boolean): void {
  const isScreen = terminal.isTty && process.stdin.isTTY;
  if (!isScreen)
    throw new Refusal({
      code: 'usage.invalid',
      message: 'supervisor top needs a terminal for its input and its output.',
      hint: 'For a script, use: supervisor status --json',
    });
  if (env['TERM'] === 'dumb' && !isPlain)
    throw new Refusal({
      code: 'usage.invalid',
      message: 'This terminal says that it can only print lines (TERM=dumb).',
      hint: 'Show the runs as lines with: supervisor top --plain, or supervisor status --watch',
    });
}
