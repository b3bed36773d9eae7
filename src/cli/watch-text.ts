/** Shows a text again and again, until Ctrl-C or q: in place on a terminal, otherwise after every change. */
import type { Rejoin } from '../client/rejoin-owner.ts';
import { isOwnerGone } from '../client/rejoin-owner.ts';
import type { CliContext } from './cli-context.ts';
import { paint } from './cli-context.ts';

const EVERY_MS = 1000;
/** How often in a row a new owner may fail before its refusal is the answer. */
const REJOINS_MAX = 5;
/** The cursor to the top left, and everything below it is cleared. */
const HOME = '\u001B[H\u001B[J';
const CLEAR_SCREEN = '\u001B[2J';

export const OWNER_LOST = 'Connection to the owner lost, reconnecting …';
const OWNER_STOPPED =
  'The owner was stopped. Waiting for the next one; start it with: supervisor up --detach';

export async function watchText(
  context: CliContext,
  render: () => Promise<string>,
  { json, rejoin }: { readonly json: boolean; readonly rejoin?: Rejoin },
): Promise<void> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  const forget = [context.onInterrupt(leave), context.onKey('q', leave)];
  const isScreen = !json && context.terminal.isTty && context.env['TERM'] !== 'dumb';
  let [shown, notice, failures] = ['', '', 0];
  const tell = (text: string): void => {
    const line = `${paint(context, 'yellow', text)}\n`;
    if (isScreen) context.out(`${HOME}${shown}${line}`);
    else if (text !== notice) context.err(line);
    notice = text;
  };
  if (isScreen) context.out(CLEAR_SCREEN);
  try {
    do {
      try {
        const text = await render();
        if (isScreen) context.out(`${HOME}${text}`);
        else if (text !== shown) context.out(text, json ? 'verbatim' : undefined);
        [shown, notice, failures] = [text, '', 0];
      } catch (error) {
        if (rejoin === undefined || !isOwnerGone(error) || failures === REJOINS_MAX) throw error;
        failures += 1;
        if (notice === '') tell(OWNER_LOST);
        const isRunning = await rejoin().catch((refused: unknown) => {
          if (isOwnerGone(refused) && failures < REJOINS_MAX) return true; // the next look tries again
          throw refused;
        });
        if (!isRunning) {
          failures = 0; // it may stay so until a person starts the next one
          tell(OWNER_STOPPED);
        }
      }
    } while (await context.clock.sleep(EVERY_MS, left.signal));
  } finally {
    for (const one of forget) one();
  }
}
