/** Java: an import names a class or all classes of a package. Folders are named after packages, below any source folder. */
import type { Node } from 'web-tree-sitter';
import type { SourceFiles, SourceLanguage } from './source-language.ts';
import { endsWithPath, importsIn, PARTS_MAX } from './source-language.ts';

export const JAVA: SourceLanguage = {
  files: /\.java$/,
  grammar: 'java',
  find: (root, _from, project) =>
    importsIn(root, 'import_declaration').flatMap((node) => importedFiles(node, project)),
};

function importedFiles(node: Node, project: SourceFiles): readonly string[] {
  const name = node.namedChildren.find((child) => child.type.endsWith('identifier'));
  const parts = name?.text.split('.', PARTS_MAX).map((part) => part.trim()) ?? [];
  const isWhole = node.namedChildren.some((child) => child.type === 'asterisk');
  const classes = isWhole
    ? project
        .foldersLike(parts.join('/'))
        .flatMap((folder) => project.inFolder(folder))
        .filter((path) => path.endsWith('.java'))
    : [];
  return classes.length > 0 ? classes : classFiles(parts, project);
}

/** What follows the name of a class is a class or a member inside of it. */
function classFiles(parts: readonly string[], project: SourceFiles): readonly string[] {
  for (let length = parts.length; length > 0; length -= 1) {
    const file = `${parts[length - 1]}.java`;
    const path = [...parts.slice(0, length - 1), file].join('/');
    const found = project.called(file).filter((one) => endsWithPath(one, path));
    if (found.length > 0) return found;
  }
  return [];
}
