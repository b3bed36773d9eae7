/** What a limit or a refused key concerns: the same program, login, arguments and model, in whichever run. */
import type { AgentSettings } from '../protocol/settings.ts';

export function identityOf({
  cli,
  configDir,
  args,
  model,
}: Pick<AgentSettings, 'cli' | 'configDir' | 'args' | 'model'>): string {
  return [cli, configDir ?? '', args.join(' '), model ?? ''].join('::');
}
