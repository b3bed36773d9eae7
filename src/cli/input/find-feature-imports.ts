/** The imports between the files that components of a feature own. */
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

/** Files that do not exist yet import nothing. */
export async function findFeatureImports(
  project: string,
  feature: Feature,
): Promise<FeatureImports> {
  const view = await openProject(project, new ContextCache());
  const resolver = new ImportResolver(view);
  const components = allComponents(feature);
  const owned = view.paths.filter((path) => ownersOf(components, path).length > 0);
  const imports: FoundImport[] = [];
  for (const from of owned)
    for (const to of await resolver.findImports(from)) imports.push({ from, to });
  return { imports, files: owned.length };
}
