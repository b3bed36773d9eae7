/** C and C++: an include in quotes names a file beside this one, or below a folder of headers. */
import { basename, dirname, join } from 'node:path/posix';
import type { SourceFiles, SourceLanguage } from './source-language.ts';
import { endsWithPath, importsIn } from './source-language.ts';

const HEADER_FOLDERS = ['.', 'include', 'src'];

export const C: SourceLanguage = {
  files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx)$/,
  grammar: 'cpp',
  find: (root, from, project) =>
    importsIn(root, 'preproc_include')
      .map((node) => node.childForFieldName('path'))
      .filter((path) => path?.type === 'string_literal')
      .flatMap((path) => includedFile(path?.text.slice(1, -1) ?? '', from, project)),
};

function includedFile(name: string, from: string, project: SourceFiles): readonly string[] {
  const folders = [dirname(from), ...HEADER_FOLDERS];
  const found = folders.map((folder) => join(folder, name)).find(project.has);
  if (found !== undefined) return [found];
  // The build may name any folder. One file alone fits, or it is not known which is meant.
  const fitting = project.called(basename(name)).filter((path) => endsWithPath(path, name));
  return fitting.length === 1 ? fitting : [];
}
