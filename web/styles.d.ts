// Vite handles stylesheets; importing one returns nothing.
declare module "*.css";
