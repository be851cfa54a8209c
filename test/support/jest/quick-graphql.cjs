// Outside of production graphql looks at every value as if it came from a second copy of itself, and takes twice as long.
// It decides so when this part of it is loaded; the modern side's own process has NODE_ENV=production.
const given = process.env.NODE_ENV;
process.env.NODE_ENV = 'production';
require('graphql/jsutils/instanceOf');
process.env.NODE_ENV = given;
