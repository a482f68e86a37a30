// Makes dist/viewer.html: page, style and script in one file that asks nobody for anything.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const common = { bundle: true, minify: true, write: false, target: ['chrome110', 'firefox113', 'safari16.4'], logLevel: 'warning' };
const script = await build({ ...common, entryPoints: ['src/main.ts'], format: 'iife', legalComments: 'none', charset: 'utf8' });
const style = await build({ ...common, entryPoints: ['src/style.css'], legalComments: 'none' });

const licence = (name) => {
  const version = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
  return `${name} ${version}\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}`;
};
const legal = `/*! This page contains:\n\n${licence('three')}\n\n${licence('uplot')}\n*/\n`;

const js = script.outputFiles[0].text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const page = readFileSync('src/page.html', 'utf8')
  .replace('/*style*/', () => style.outputFiles[0].text.trim())
  .replace('/*script*/', () => legal + js.trim());
mkdirSync('dist', { recursive: true });
writeFileSync('dist/viewer.html', page);
console.log(`dist/viewer.html: ${page.length} characters, ${Buffer.byteLength(page)} bytes`);
