const fc = require('fast-check');

fc.configureGlobal({ seed: 1 });
