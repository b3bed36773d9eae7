/** Shows a text again and again, until Ctrl-C or q: in place on a terminal, otherwise after every change. */
import type { CliContext } from './cli-context.ts';

const EVERY_MS = 1000;
/** The cursor to the top left, and everything below it is cleared. */
const HOME = '\u001B[H\u001B[J';
const CLEAR_SCREEN = '\u001B[2J';

export async function watchText(
  context: CliContext,
  render: () => Promise<string>,
  json: boolean,
): Promise<void> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  const forget = [context.onInterrupt(leave), context.onKey('q', leave)];
  const isScreen = !json && context.terminal.isTty && context.env['TERM'] !== 'dumb';
  let shown = '';
  if (isScreen) context.out(CLEAR_SCREEN);
  try {
    do {
      const text = await render();
      if (isScreen) context.out(`${HOME}${text}`);
      else if (text !== shown) context.out(text);
      shown = text;
    } while (await context.clock.sleep(EVERY_MS, left.signal));
  } finally {
    for (const one of forget) one();
  }
}
