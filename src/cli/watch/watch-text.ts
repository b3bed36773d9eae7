/** Shows a text again and again, until Ctrl-C or q, or until its reader leaves: in place on a terminal, otherwise after every change. */
import type { Rejoin } from '../../client/rejoin-owner.ts';
import { plural } from '../../base/text.ts';
import { fitLines } from '../../host/output/fit-lines.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import { Reconnect, stoppedMsMax } from './reconnect.ts';

const EVERY_MS = 1000;
/** The cursor to the top left, and everything below it is cleared. */
const HOME = '\u001B[H\u001B[J';
/** A second screen, as editors use it. When it is left, the first one is as it was. */
const ENTER_SCREEN = '\u001B[?1049h';
const LEAVE_SCREEN = '\u001B[?1049l';

export async function watchText(
  context: CliContext,
  render: () => Promise<string>,
  { json, rejoin }: { readonly json: boolean; readonly rejoin?: Rejoin },
): Promise<void> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  const forget = [
    context.onInterrupt(leave),
    context.onKey('q', leave),
    context.onReaderGone(leave),
  ];
  const isScreen = !json && context.terminal.isTty && context.env['TERM'] !== 'dumb';
  let shown = '';
  const tell = (text: string): void => {
    const line = `${paint(context, 'yellow', text)}\n`;
    if (isScreen) context.out(`${HOME}${fitScreen(context, shown, line)}`, 'verbatim');
    else context.err(line);
  };
  const reconnect = new Reconnect({
    ...{ clock: context.clock, rejoin, tell },
    stoppedMsMax: stoppedMsMax(isScreen),
  });
  if (isScreen) context.out(ENTER_SCREEN);
  try {
    do {
      try {
        const text = await render();
        if (isScreen) context.out(`${HOME}${fitScreen(context, text)}`, 'verbatim');
        else if (text !== shown) context.out(text, json ? 'verbatim' : undefined);
        shown = text;
        reconnect.succeeded();
      } catch (error) {
        await reconnect.after(error);
      }
    } while (await context.clock.sleep(EVERY_MS, left.signal));
  } finally {
    if (isScreen) context.out(LEAVE_SCREEN);
    for (const one of forget) one();
  }
}

/** The first lines that fit, and `last` below them. A text that is longer than the screen would scroll its head away. */
function fitScreen({ terminal }: CliContext, text: string, last = ''): string {
  const { width, height = Infinity } = terminal;
  const lines = fitLines(text, width).split('\n').slice(0, -1);
  const tail = fitLines(last, width);
  const room = height - tail.split('\n').length;
  if (lines.length <= room) return `${lines.map((line) => `${line}\n`).join('')}${tail}`;
  const kept = lines.slice(0, Math.max(0, room - 1));
  const more = plural(lines.length - kept.length, 'more line does', 'more lines do');
  return `${[...kept, `… ${more} not fit on this screen`].join('\n')}\n${tail}`;
}
