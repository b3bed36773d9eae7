import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { formatDuration } from '../../../base/format-duration.ts';
import { plural } from '../../../base/text.ts';
import type { DashboardLink, EndedAccess } from '../../../protocol/dashboard-access.ts';
import { dashboardDocument } from '../../../public-json/machine-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { ensurePage } from '../../dashboard/build-page.ts';
import { openBrowser } from '../../dashboard/open-browser.ts';
import { EXIT } from '../../exit-codes.ts';
import { findRun } from '../../runs/find-runs.ts';
import { printJson } from '../../json/print-json.ts';

type Options = {
  readonly open: boolean;
  readonly readOnly: boolean;
  readonly port?: string;
  readonly publicUrl?: string | false;
  readonly question?: string;
  readonly end: boolean;
  readonly json: boolean;
};

export function addDashboard(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('dashboard')
    .description('Print a link that opens the dashboard once in a browser of this machine')
    .option('--open', 'open the link in your browser', false)
    .option('--read-only', 'a browser with this link can look and change nothing', false)
    .option(
      '--port <number>',
      'the port of this machine to use; otherwise the last one, or a free one',
    )
    .option(
      '--public-url <url>',
      'the address of a proxy in front of the port, such as https://box.example.net',
    )
    .option('--no-public-url', 'no longer use such an address')
    .option(
      '--question <run>',
      'a link that shows only the open question of this run, such as for a phone',
    )
    .option('--end', 'end all links, and the access of all browsers', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { question } = options;
      const place = defined({
        port: parsePort(options.port),
        publicUrl: options.publicUrl === false ? null : options.publicUrl,
      });
      if (question !== undefined && (options.readOnly || options.end)) throw mixedLink(options.end);
      if (options.end) {
        await using connection = await connectOwner(context);
        const ended = await connection.client.machine.endDashboard();
        if (options.json) printJson(context, dashboardDocument(null, ended));
        else context.out(describeEnd(ended));
        return finish(EXIT.ok);
      }
      await ensurePage({ node: context.node, tell: (line) => context.err(line) });
      await using connection = await connectOwner(context, { creates: true });
      const { machine } = connection.client;
      const link =
        question === undefined
          ? await machine.dashboardLink({
              ...place,
              role: options.readOnly ? 'read-only' : 'operator',
            })
          : await machine.questionLink({
              ...place,
              run: await findRun(context, connection.client, question),
            });
      if (options.json) printJson(context, dashboardDocument(link, null));
      else {
        context.out(`${link.url}\n`, 'verbatim');
        context.err(describeLink(link, context.clock.now()));
      }
      if (options.open && !(await openBrowser(link.url, context.env)))
        context.err('No browser could be opened here. Open the link yourself.\n');
      finish(EXIT.ok);
    });
}

const HELP = `
The link is for you alone: the first browser that opens it has access for seven days. The page is served on this machine only.
To reach it from elsewhere, put a proxy with encryption in front of the port, and name its address with --public-url.

Examples:
  supervisor dashboard --open
  supervisor dashboard --read-only
  supervisor dashboard --port 4242 --public-url https://box.example.net
  supervisor dashboard --question last
  supervisor dashboard --end`;

function describeLink({ role, expiresAt }: DashboardLink, now: number): string {
  const time = formatDuration(expiresAt - now);
  switch (role) {
    case 'question':
      return `The link works for ${time}. It shows this question, and takes a decision about a change. Send it only to people who may decide.\n`;
    case 'operator':
      return `The link works once, within ${time}. The browser that opens it can decide and control runs.\n`;
    case 'read-only':
      return `The link works once, within ${time}. The browser that opens it can only look.\n`;
  }
}

function mixedLink(isEnd: boolean): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `--question and ${isEnd ? '--end' : '--read-only'} do not go together.`,
    hint: 'Leave out one of them.',
  });
}

const PORT_MAX = 65_535;

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= PORT_MAX) return port;
  throw new Refusal({
    code: 'usage.invalid',
    message: `Invalid value for --port: ${JSON.stringify(text)} is not a port.`,
    hint: `Use a number from 1 to ${PORT_MAX}.`,
  });
}

function describeEnd({ sessions, links }: EndedAccess): string {
  return `Ended: the access of ${plural(sessions, 'browser')}, and ${plural(links, 'link')} not used yet.\n`;
}
