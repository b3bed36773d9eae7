/** Reads every file of a pack as it would be read after the installation. Refuses what Supervisor could not use. */
import { join } from 'node:path';
import { refusePack } from '../../packs/pack-error.ts';
import type { PackTexts } from '../../packs/read-archive.ts';
import { parseStrategy } from '../../context/strategy.ts';
import { isRefusal } from '../../base/errors.ts';
import { packageData } from '../../host/files/package-data.ts';
import { loadTemplates } from '../../prompts/templates.ts';
import { loadRole } from '../../roles/load-role.ts';
import { roleSources } from '../../roles/role-path.ts';
import { COMMUNITY_FOLDER } from '../../trust/project-folder.ts';
import type { FileTexts } from '../../trust/trusted-project.ts';
import { listWorkflowFiles } from '../../workflow-files/workflow-path.ts';
import { readLayers } from '../../workflow-files/read-layers.ts';

/** `files`: the disk, with the packs that are installed. */
export async function checkPack(home: string, texts: PackTexts, files: FileTexts): Promise<void> {
  const all = withNew(home, texts, files);
  const sources = roleSources({ home, packageData });
  const workflows = await listWorkflowFiles({ home, packageData }, all);
  for (const [path, text] of texts) {
    const [folder = '', file = ''] = path.split('/');
    const name = file.replace(/\.(?:yaml|j2)$/, '');
    const where = join(home, COMMUNITY_FOLDER, path);
    try {
      if (folder === 'roles') await loadRole(name, sources, all);
      if (folder === 'strategies') parseStrategy(name, where, text);
      if (folder === 'templates') await loadTemplates(name, { home, packageData }, all.read);
      const placed = workflows.placed.find((one) => one.file === where);
      if (placed !== undefined) await readLayers(placed, workflows.placed, all);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw refusePack(`The pack is faulty: ${error.message.replaceAll(`${home}/`, '')}`);
    }
  }
}

/** Built-in files, by the path that a file of a pack with the same name would have. */
export async function builtInFiles({ list }: FileTexts): Promise<ReadonlyMap<string, string>> {
  const taken = new Map<string, string>();
  const add = async (to: string, folder: string): Promise<void> => {
    for (const file of await list(folder)) taken.set(`${to}/${file}`, 'Supervisor itself');
  };
  for (const { level, folder } of roleSources({ home: '/nowhere', packageData }))
    if (level === 'package') await add('roles', folder);
  await add('workflows', join(packageData, 'workflows'));
  await add('templates', join(packageData, 'templates'));
  await add('strategies', join(packageData, 'context_strategies'));
  return taken;
}

function withNew(home: string, texts: PackTexts, files: FileTexts): FileTexts {
  const folder = join(home, COMMUNITY_FOLDER);
  return {
    read: async (path, bytesMax) =>
      (path.startsWith(`${folder}/`) ? texts.get(path.slice(folder.length + 1)) : undefined) ??
      files.read(path, bytesMax),
    list: async (path) => {
      const own = [...texts.keys()]
        .map((one) => join(folder, one))
        .filter((one) => one.startsWith(`${path}/`) && !one.slice(path.length + 1).includes('/'))
        .map((one) => one.slice(path.length + 1));
      return [...new Set([...(await files.list(path)), ...own])].toSorted();
    },
  };
}
