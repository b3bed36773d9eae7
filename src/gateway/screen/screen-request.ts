import type { WireName } from '../wire.ts';
import type { Body, Screened, ScreenTerms } from './screen.ts';
import { screenAnthropic } from './screen-anthropic.ts';
import { screenGemini } from './screen-gemini.ts';
import { screenChat, screenResponses } from './screen-openai.ts';

const SCREENS: Readonly<Record<WireName, (body: Body, terms: ScreenTerms) => Screened>> = {
  anthropic: screenAnthropic,
  'openai-responses': screenResponses,
  'openai-chat': screenChat,
  gemini: screenGemini,
};

/** The request as it may go on, or why it may not. */
export function screenRequest(wire: WireName, body: Body, terms: ScreenTerms): Screened {
  return SCREENS[wire](body, terms);
}
