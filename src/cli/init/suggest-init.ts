/** Says before a run that nothing will check its work, and which command changes that. */
import { describeCommand } from '../../base/shell-words.ts';
import { detectCommands } from '../../detection/detect-commands.ts';
import { readListing } from '../../detection/read-listing.ts';
import { readTrustState } from '../../trust/trusted-project.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { ownSettings } from '../input/own-settings.ts';

/** One line, if neither the project, nor the user, nor this command line has a gate or settings. */
export async function suggestInit(
  context: CliContext,
  project: string,
  gates: readonly string[],
): Promise<void> {
  const home = stateHome(context).dir;
  if (gates.length > 0 || (await readTrustState({ home, project })).kind !== 'none') return;
  const settings = await ownSettings(context);
  if (settings.gates.length > 0) return;
  const [found] = detectCommands(await readListing(project)).gates;
  const aim =
    found === undefined
      ? 'set up this project'
      : `check the work with ${printable(describeCommand(found.command))}`;
  context.err(
    paint(context, 'yellow', `Note: no gate checks this run. To ${aim}: supervisor init\n`),
  );
}
