/** Go: an import names a package, which is a folder of a module. Its go.mod says the name of the module. */
import { dirname, join } from 'node:path/posix';
import type { Node } from 'web-tree-sitter';
import type { SourceFiles, SourceLanguage } from './source-language.ts';
import { importsIn } from './source-language.ts';

type Module = { readonly name: string; readonly folder: string };

const modules = new WeakMap<SourceFiles, Promise<readonly Module[]>>();

export const GO: SourceLanguage = {
  files: /\.go$/,
  grammar: 'go',
  find: async (root, _from, project) => {
    const names = importsIn(root, 'import_spec').flatMap(importedName);
    if (names.length === 0) return [];
    const known = await modulesOf(project);
    return names.flatMap((name) => packageFiles(name, known, project));
  },
};

function importedName(spec: Node): readonly string[] {
  const text = spec.childForFieldName('path')?.text ?? '';
  return text.length > 2 ? [text.slice(1, -1)] : [];
}

function modulesOf(project: SourceFiles): Promise<readonly Module[]> {
  let known = modules.get(project);
  if (known === undefined) {
    known = readModules(project);
    modules.set(project, known);
  }
  return known;
}

/** Those inside others first, because the longest name counts. */
async function readModules(project: SourceFiles): Promise<readonly Module[]> {
  const found = await Promise.all(
    project.called('go.mod').map(async (path): Promise<Module> => {
      const [, name = ''] =
        /^module[ \t]+"?([^\s"]+)/m.exec((await project.text(path)) ?? '') ?? [];
      return { name, folder: dirname(path) };
    }),
  );
  return found.filter(({ name }) => name !== '').toSorted((a, b) => b.name.length - a.name.length);
}

function packageFiles(
  imported: string,
  known: readonly Module[],
  project: SourceFiles,
): readonly string[] {
  const module = known.find(({ name }) => imported === name || imported.startsWith(`${name}/`));
  if (module === undefined) return [];
  const folder = join(module.folder, imported.slice(module.name.length + 1));
  return project
    .inFolder(folder)
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
}
