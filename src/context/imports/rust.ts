/** Rust: `mod x;` names a file beside or below this one, and `use` a path from the crate, this module or one above. */
import { basename, dirname, join } from 'node:path/posix';
import type { Node } from 'web-tree-sitter';
import type { SourceFiles, SourceLanguage } from './source-language.ts';
import { importsIn, PARTS_MAX } from './source-language.ts';

/** Their modules are beside them, and those of other files in a folder with the name of the file. */
const ROOTS = new Set(['lib.rs', 'main.rs', 'mod.rs']);

type Segments = readonly string[];

export const RUST: SourceLanguage = {
  files: /\.rs$/,
  grammar: 'rust',
  find: (root, from, project) => [
    ...importsIn(root, 'mod_item').flatMap((node) => declaredModule(node, from, project)),
    ...importsIn(root, 'use_declaration')
      .flatMap((node) => usedPaths(node.childForFieldName('argument'), []))
      .flatMap((segments) => usedFile(segments, from, project)),
  ],
};

function declaredModule(node: Node, from: string, project: SourceFiles): readonly string[] {
  const name = node.childForFieldName('name')?.text;
  if (name === undefined || node.childForFieldName('body') !== null) return [];
  return moduleFile(join(moduleFolder(from), name), project);
}

/** Every path of a `use`, with its braces taken apart. */
function usedPaths(node: Node | null, before: Segments, depth = 0): readonly Segments[] {
  if (node === null || depth > PARTS_MAX) return [];
  switch (node.type) {
    case 'use_list':
      return node.namedChildren.flatMap((child) => usedPaths(child, before, depth + 1));
    case 'scoped_use_list': {
      const inner = [...before, ...segmentsOf(node.childForFieldName('path'))];
      return usedPaths(node.childForFieldName('list'), inner, depth + 1);
    }
    case 'use_as_clause':
      return usedPaths(node.childForFieldName('path'), before, depth + 1);
    case 'use_wildcard':
      return [[...before, ...segmentsOf(node.namedChildren[0] ?? null)]];
    default:
      return [[...before, ...segmentsOf(node)]];
  }
}

function segmentsOf(node: Node | null): Segments {
  return node === null ? [] : node.text.split('::', PARTS_MAX).map((part) => part.trim());
}

function usedFile(segments: Segments, from: string, project: SourceFiles): readonly string[] {
  const [first = ''] = segments;
  let folder = moduleFolder(from);
  let rest = segments;
  if (first === 'crate') {
    folder = crateFolder(from, project);
    rest = segments.slice(1);
  } else if (first === 'self') rest = segments.slice(1);
  for (; rest[0] === 'super'; rest = rest.slice(1)) folder = dirname(folder);
  // The last segments may be items inside a module.
  for (let length = rest.length; length > 0; length -= 1) {
    const found = moduleFile(join(folder, ...rest.slice(0, length)), project);
    if (found.length > 0) return found;
  }
  return [];
}

function moduleFolder(from: string): string {
  const name = basename(from);
  return ROOTS.has(name) ? dirname(from) : join(dirname(from), name.replace(/\.rs$/, ''));
}

/** The sources of the nearest crate above the file. */
function crateFolder(from: string, { has }: SourceFiles): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (has(join(folder, 'Cargo.toml'))) return join(folder, 'src');
    if (folder === '.') return dirname(from);
  }
}

function moduleFile(path: string, { has }: SourceFiles): readonly string[] {
  return [`${path}.rs`, join(path, 'mod.rs')].filter(has).slice(0, 1);
}
