/** The component of a feature that a person names. */
import { Refusal } from '../../base/errors.ts';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import { nearest } from '../../yaml/nearest.ts';
import { quote } from '../../yaml/problem.ts';
import { suggest } from '../../yaml/schema-faults.ts';
import { allOf } from '../format/feature-run-text.ts';

/** By its id, or by its name. */
export function findComponent(view: FeatureView, named: string): FeatureComponentView {
  const all = allOf(view);
  const found = all.find(({ id, name }) => id === named.toUpperCase() || name === named);
  if (found !== undefined) return found;
  const names = all.flatMap(({ id, name }) => [id, name]);
  throw new Refusal({
    code: 'usage.invalid',
    message: `The feature has no component ${quote(named)}${suggest(nearest(named, names))}.`,
    hint: `See all components with: supervisor feature show ${view.run}`,
  });
}
