import type { WireName } from '../wires/wire.ts';
import type { RequestBody, ScreenResult, ScreenTerms } from './screen.ts';
import { screenAnthropic } from './screen-anthropic.ts';
import { screenGemini } from './screen-gemini.ts';
import { screenChat, screenResponses } from './screen-openai.ts';

const SCREENS: Readonly<Record<WireName, (body: RequestBody, terms: ScreenTerms) => ScreenResult>> =
  {
    anthropic: screenAnthropic,
    'openai-responses': screenResponses,
    'openai-chat': screenChat,
    gemini: screenGemini,
  };

/** The request as it may be forwarded, or why it is refused. */
export function screenRequest(wire: WireName, body: RequestBody, terms: ScreenTerms): ScreenResult {
  return SCREENS[wire](body, terms);
}
