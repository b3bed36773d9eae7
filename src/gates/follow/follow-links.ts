/** Settings, manifests and tests of the base that are symlinks: what they lead to decides. */
import { isTestFile } from '../../workspace/apply/test-files.ts';
import { isCheckSetting } from '../definition/check-settings.ts';
import type { Trail } from './followed.ts';
import { isManifest } from '../definition/manifest-parts.ts';

const FILES_MAX = 2000;

export function followLinks(trail: Trail): void {
  let files = 0;
  for (const link of trail.links) {
    const isTest = isTestFile(link) || isTestFile(`${link}/a.js`);
    if (!isTest && !isCheckSetting(link) && !isManifest(link)) continue;
    const real = trail.resolveLinks(link);
    if (real === undefined) continue;
    for (const path of trail.base.keys())
      if (path === real || path.startsWith(`${real}/`)) {
        files += 1;
        if (files <= FILES_MAX) trail.scripts.add(path);
      }
  }
  if (files > FILES_MAX) trail.addNotFollowed('its links lead to more files than can be followed');
}
