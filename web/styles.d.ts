// Stylesheets are put in place by Vite; a script that imports one gets nothing from it.
declare module "*.css";
