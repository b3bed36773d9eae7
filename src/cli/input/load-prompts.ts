/** The questions at a terminal. They are loaded only when one is asked. */
import type * as Prompts from '@clack/prompts';

const CTRL_D = '\u0004';

/**
 * Letters move the cursor like arrow keys by default, and the list wraps around. A user who types `cancel` and Enter
 * would then choose another answer, such as to trust the files of a project. Here only keys that move a cursor do so.
 */
export async function loadPrompts(): Promise<typeof Prompts> {
  const [{ MultiSelectPrompt, settings }, prompts] = await Promise.all([
    import('@clack/core'),
    import('@clack/prompts'),
  ]);
  // The end of the input is no answer. Without an entry, the question would never end, and the process would exit with 0.
  settings.aliases.set(CTRL_D, 'cancel');
  for (const key of settings.aliases.keys())
    if (key.length === 1 && /\w/.test(key)) settings.aliases.delete(key);
  // `a` would choose every answer, and `i` all others.
  Object.assign(MultiSelectPrompt.prototype, { toggleAll: ignore, toggleInvert: ignore });
  return prompts;
}

function ignore(): void {
  // this key has no meaning here
}
