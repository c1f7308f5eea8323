// Svelte's settings, read by the build, the checker and editors.
export default { compilerOptions: { runes: true } };
