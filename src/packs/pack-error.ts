import { Refusal } from '../base/errors.ts';

/** A pack that is not installed, because of what it contains. */
export function refusePack(
  message: string,
  hint = 'Tell its author, or choose another pack.',
): Refusal {
  return new Refusal({ code: 'pack.invalid', message, hint });
}
