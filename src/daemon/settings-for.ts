import type { Loaded } from '../config/load.ts';
import { loadSettings } from '../config/load.ts';
import { readTextFile } from '../host/read-text-file.ts';
import type { OwnerOptions } from './owner.ts';
import { userDirOf } from './places.ts';

/** What holds for a project, or for the owner itself, as it is written down at this moment. */
export function settingsFor(
  options: OwnerOptions,
  project: string | undefined,
  set: readonly string[],
): Promise<Loaded> {
  return loadSettings({
    home: options.home.dir,
    ...(project === undefined ? {} : { project }),
    flags: { set },
    userDir: userDirOf(options),
    readFile: readTextFile,
  });
}
