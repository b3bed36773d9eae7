/** Ruby: `require_relative` names a file beside this one, and `require` one of a folder `lib`. */
import { dirname, join } from 'node:path/posix';
import type { Node } from 'web-tree-sitter';
import type { SourceFiles, SourceLanguage } from './source-language.ts';
import { endsWithPath, importsIn } from './source-language.ts';

export const RUBY: SourceLanguage = {
  files: /\.(?:rb|rake|gemspec)$/,
  grammar: 'ruby',
  find: (root, from, project) =>
    importsIn(root, 'call', isRequire).flatMap((call) => requiredFile(call, from, project)),
};

function isRequire(call: Node): boolean {
  return /^require(?:_relative)?$/.test(call.childForFieldName('method')?.text ?? '');
}

function requiredFile(call: Node, from: string, project: SourceFiles): readonly string[] {
  const method = call.childForFieldName('method')?.text;
  const name = plainText(call.childForFieldName('arguments')?.namedChildren[0]);
  if (name === undefined) return [];
  const file = name.endsWith('.rb') ? name : `${name}.rb`;
  if (method === 'require_relative') return [join(dirname(from), file)].filter(project.has);
  const inLib = join('lib', file);
  const last = file.slice(file.lastIndexOf('/') + 1);
  return project.called(last).filter((path) => endsWithPath(path, inLib));
}

/** A string without anything that is computed. */
function plainText(node: Node | undefined): string | undefined {
  const [content, more] = node?.namedChildren ?? [];
  const isPlain = node?.type === 'string' && content?.type === 'string_content';
  return isPlain && more === undefined ? content.text : undefined;
}
