/** The imports between the files that components of a feature own. */
import { resolve } from 'node:path';
import { ContextCache } from '../../context/context-cache.ts';
import { ImportResolver } from '../../context/imports/import-resolver.ts';
import { openProject } from '../../context/open-project.ts';
import type { FoundImport } from '../../plan/suggest-edges.ts';
import { ownersOf } from '../../plan/suggest-edges.ts';
import type { Feature } from '../../protocol/feature.ts';
import { allComponents } from '../../protocol/feature.ts';

export type FeatureImports = {
  readonly imports: readonly FoundImport[];
  /** How many files were read. */
  readonly files: number;
};

/** Files that do not exist yet import nothing. If the feature spans projects, each is read by itself. */
export async function findFeatureImports(
  project: string,
  feature: Feature,
): Promise<FeatureImports> {
  const { projects = [{ name: undefined, path: '.' }] } = feature;
  const components = allComponents(feature);
  const imports: FoundImport[] = [];
  let files = 0;
  for (const { name, path } of projects) {
    const view = await openProject(resolve(project, path), new ContextCache());
    const resolver = new ImportResolver(view);
    const owned = view.paths.filter((file) => ownersOf(components, file, name).length > 0);
    for (const from of owned)
      for (const to of await resolver.findImports(from)) imports.push({ from, to, project: name });
    files += owned.length;
  }
  return { imports, files };
}
