import { columnsOf, columnsText } from './columns';

it('names in the URL only columns that differ from those shown at first', () => {
  expect(columnsText(columnsOf(undefined))).toBeUndefined();
  expect(columnsText(['cost', 'method'])).toBe('method,cost');
  expect(columnsText([])).toBe('none');
});

it.each([
  ['cost,method', ['method', 'cost']],
  ['none', []],
  ['cost,colour,cost', ['cost']],
])('reads %s', (text, columns) => {
  expect(columnsOf(text)).toEqual(columns);
});
