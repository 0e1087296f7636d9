import { schemaProblems } from './k8s-schema';
import { OVERLAYS, renderOverlay } from './render';

const rendered = OVERLAYS.flatMap((overlay) =>
  renderOverlay(overlay).map((object) => [`${overlay}: ${object.kind} ${object.metadata.name}`, object] as const),
);

describe('rendered overlays', () => {
  it.each(rendered)('%s fits its schema and has no key that is not in it', async (_title, object) => {
    expect(await schemaProblems(object)).toEqual([]);
  });
});
